import type { Session } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { toast } from '../../_ui/asks';

/** Takes an ended session off the board (it stays in the history), or puts it back. */
export function archive(session: Session, archived: boolean): void {
  void api()
    .sessions.archive.mutate({ id: session.id, archived })
    .then(
      () =>
        toast(
          archived
            ? `Archived “${session.name}”; it is in the history.`
            : `“${session.name}” is back on the board.`,
          {
            label: 'Undo',
            run: () => archive(session, !archived),
          },
        ),
      (error: unknown) => toast(problemText(error)),
    );
}
