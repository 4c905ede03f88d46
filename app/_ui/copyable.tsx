'use client';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

/** A command to run elsewhere, with a button that copies it. */
export function Copyable({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <span className="copyable">
      <code>{text}</code>
      <button
        type="button"
        className="btn ghost icon"
        aria-label={copied ? 'Copied' : `Copy: ${text}`}
        title={copied ? 'Copied' : 'Copy'}
        onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
      >
        {copied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      </button>
    </span>
  );
}
