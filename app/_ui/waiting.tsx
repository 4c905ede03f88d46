'use client';
import { useEffect, useState } from 'react';
import { Copyable } from './copyable';

const PATIENCE_MS = 5_000;

/** Before the first word of the host: a sketch of what comes, and after a while what to do about it. */
export function Waiting() {
  const [long, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!long) {
    return (
      <div className="section" aria-busy="true">
        <div className="grid">
          <div className="skeleton" />
          <div className="skeleton" />
        </div>
      </div>
    );
  }
  return (
    <div className="empty" role="status">
      <h2>The host does not answer</h2>
      <p>
        Your agents go on without it. Start it on its computer; this page comes back by itself as soon as it
        is there.
      </p>
      <Copyable text="npx offdeck start" />
    </div>
  );
}
