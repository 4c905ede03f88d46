import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client';
import { type BoardUpdate, Project } from '../contract';
import { createLog } from '../log';
import { createBoard } from './board';

const project = (n: number, name = `p${n}`): Project =>
  Project.parse({ id: `project${n}aaaa`, name, path: `/p${n}`, branch: null, trusted: false, created: 0 });

function setUp() {
  const db = openDatabase({ file: ':memory:', migrations: 'db/migrations', backups: null, now: () => 1 });
  const rows = new Map<string, Project>();
  const log = createLog({
    db,
    now: () => 1,
    projections: [
      {
        name: 'rows',
        clear: () => rows.clear(),
        apply: (_, { event }) => {
          if (event.type === 'project.added') rows.set(event.project.id, event.project);
        },
      },
    ],
  });
  const board = createBoard({
    log,
    now: () => 1,
    vendors: [],
    read: {
      session: () => null,
      sessions: () => [],
      need: () => null,
      needs: () => [],
      message: () => null,
      messages: () => [],
      project: (id) => rows.get(id) ?? null,
      projects: () => [...rows.values()],
      worktree: () => null,
      worktrees: () => [],
    },
  });
  const add = (p: Project) => log.commit([{ type: 'project.added', project: p }]);
  return { board, log, add };
}
const names = (update: BoardUpdate): string =>
  update.type === 'project'
    ? update.project.name
    : update.type === 'snapshot'
      ? `snapshot ${update.snapshot.projects.length}`
      : '?';

describe('the board feed', () => {
  it('starts with a snapshot and loses nothing committed around it', async () => {
    const { board, add } = setUp();
    add(project(1));
    const stop = new AbortController();
    const feed = board.feed(null, stop.signal);
    const first = await feed.next();
    add(project(2));
    add(project(3));
    const got = [names(first.value!.update)];
    got.push(names((await feed.next()).value!.update), names((await feed.next()).value!.update));
    expect(got).toEqual(['snapshot 1', 'p2', 'p3']);
    stop.abort();
    expect((await feed.next()).done).toBe(true);
  });

  it('goes on from a cursor without doubling, sending a changed row once', async () => {
    const { board, add, log } = setUp();
    add(project(1));
    const cursor = log.head();
    add(project(2, 'old'));
    add(project(2, 'new'));
    const stop = new AbortController();
    const feed = board.feed(cursor, stop.signal);
    const row = (await feed.next()).value!;
    expect([row.seq, names(row.update)]).toEqual([3, 'new']);
    stop.abort();
  });

  it('answers a cursor that is too old, or from another log, with a snapshot', async () => {
    const { board, add } = setUp();
    for (let i = 0; i < 502; i++) add(project(1));
    for (const cursor of [0, 99_999]) {
      const stop = new AbortController();
      expect((await board.feed(cursor, stop.signal).next()).value!.update.type).toBe('snapshot');
      stop.abort();
    }
  });
});
