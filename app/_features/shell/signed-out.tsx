export function SignedOut({ why }: { why: string }) {
  return (
    <main className="signed-out">
      <div className="panel">
        <h3>Open Offdeck on this browser</h3>
        <div className="body">
          <p role="alert">{why}</p>
          <p className="hint">On the computer that runs Offdeck, in a terminal:</p>
          <code className="mono">npx offdeck open</code>
          <p className="hint">
            It opens this page with a link that works once. Nothing can be seen or done here without it.
          </p>
        </div>
      </div>
    </main>
  );
}
