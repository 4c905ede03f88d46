import { type EnrolReply, enrolText } from '@/server/contract';
import { newKeys, sign, writeIdentity } from './device-key';

/**
 * A launch code this page was opened with, once. `/theme.js` has taken it out of the address bar before anything else
 * ran; here it is only looked for again when a new fragment comes to an open page (S-09).
 */
export function takeCode(): string | null {
  const first = window as Window & { takeLaunchCode?: () => string | null };
  const kept = first.takeLaunchCode?.() ?? null;
  delete first.takeLaunchCode;
  if (kept) return kept;
  const code = location.hash.slice(1);
  if (!code.startsWith('odl_')) return null;
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}

const browserName = (): string => {
  const agent = navigator.userAgent;
  const browser = /Edg/.test(agent)
    ? 'Edge'
    : /Firefox/.test(agent)
      ? 'Firefox'
      : /Chrom/.test(agent)
        ? 'Chrome'
        : /Safari/.test(agent)
          ? 'Safari'
          : 'Browser';
  const system = /Mac/.test(agent)
    ? 'macOS'
    : /Linux/.test(agent)
      ? 'Linux'
      : /Windows/.test(agent)
        ? 'Windows'
        : '';
  return system ? `${browser} on ${system}` : browser;
};

const PATIENCE_MS = 15_000;

/** Makes this browser a device of the host. Throws an Error whose message is fit to show. */
export async function enrol(code: string): Promise<void> {
  const keys = await newKeys();
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', keys.publicKey);
  const reply = await fetch('/auth/enrol', {
    signal: AbortSignal.timeout(PATIENCE_MS),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      code,
      publicKey: { kty, crv, x, y },
      label: browserName(),
      sig: await sign(keys, enrolText({ code, origin: location.origin })),
    }),
  }).catch(() => {
    throw new Error('The host did not answer. Check that Offdeck is running there, then open a new link.');
  });
  if (!reply.ok) {
    const problem = (await reply.json().catch(() => null)) as { message?: string; hint?: string } | null;
    throw new Error([problem?.message ?? 'The host refused.', problem?.hint].filter(Boolean).join(' '));
  }
  const { deviceId, serverId } = (await reply.json()) as EnrolReply;
  await writeIdentity({ deviceId, serverId, keys });
}
