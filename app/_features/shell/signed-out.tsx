'use client';
import { Copyable } from '../../_ui/copyable';

export function SignedOut({ why, reload }: { why: string; reload: boolean }) {
  return (
    <main className="signed-out">
      <div className="panel">
        <h1>Open Offdeck on this browser</h1>
        <div className="body">
          <p role="alert">{why}</p>
          {reload ? (
            <button type="button" className="btn pri" onClick={() => location.reload()}>
              Reload
            </button>
          ) : (
            <>
              <p className="hint">On the computer that runs Offdeck, in a terminal:</p>
              <Copyable text="npx offdeck open" />
              <p className="hint">
                It opens this page with a link that works once. Nothing can be seen or done here without it.
              </p>
            </>
          )}
        </div>
      </div>
    </main>
  );
}
