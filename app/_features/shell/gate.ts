'use client';
import { useEffect, useState } from 'react';
import { followBoard, stopFollowing } from '../../_client/board-store';
import { readIdentity } from '../../_client/device-key';
import { enrol, takeCode } from '../../_client/enrol';
import { listenForRefusal, type Refusal } from '../../_client/proven-socket';

export type Gate = { at: 'looking' } | { at: 'in' } | { at: 'out'; why: string; reload: boolean };

const REFUSED: Record<Refusal, string> = {
  'no-device': 'This browser is not paired with this host.',
  refused: 'The host does not know this browser any more.',
  revoked: 'This browser was removed from the host.',
  protocol: 'This page is older than the host. Reload it.',
};

/**
 * Whether this browser is a device of the host. A launch code is used only when the browser has no key that the host
 * takes: opening the link again must not make a second device of the same browser.
 */
export function useGate(): Gate {
  const [gate, setGate] = useState<Gate>({ at: 'looking' });
  useEffect(() => {
    let spare = takeCode();
    const out = (why: string, reload = false) => {
      stopFollowing();
      setGate({ at: 'out', why, reload });
    };
    const pair = async (code: string) => {
      try {
        await enrol(code);
        followBoard();
        setGate({ at: 'in' });
      } catch (error) {
        out(error instanceof Error ? error.message : 'The host refused.');
      }
    };
    listenForRefusal((why) => {
      if (why === 'protocol') return out(REFUSED.protocol, true);
      const code = spare;
      spare = null;
      if (!code) return out(REFUSED[why]);
      stopFollowing();
      setGate({ at: 'looking' });
      void pair(code);
    });
    void readIdentity()
      .then(async (identity) => {
        if (identity) {
          followBoard();
          setGate({ at: 'in' });
        } else if (spare) {
          const code = spare;
          spare = null;
          await pair(code);
        } else out(REFUSED['no-device']);
      })
      .catch(() => out('This browser keeps no keys here: private windows and blocked site data do that.'));
    // The link was opened into a tab that shows this page already: only the fragment changes then.
    const again = () => {
      const code = takeCode();
      if (!code) return;
      void readIdentity().then((identity) => (identity ? location.reload() : void pair(code)));
    };
    addEventListener('hashchange', again);
    return () => removeEventListener('hashchange', again);
  }, []);
  return gate;
}
