import { z } from 'zod';
import { DeviceId } from './ids';
import { Scope } from './scopes';

/** Raised whenever an older cached shell could misread the wire. */
export const PROTOCOL = 1;

/** Server → browser, first text frame of every socket. */
export const Challenge = z.object({
  t: z.literal('challenge'),
  protocol: z.number(),
  serverId: z.string(),
  nonce: z.string(), // base64url, single use, valid for 5 s
});
export type Challenge = z.infer<typeof Challenge>;

/** Browser → server, the answer; at most 4 KiB. `sig` is ECDSA P-256 / SHA-256 in IEEE-P1363 form, base64url. */
export const Hello = z.object({
  t: z.literal('hello'),
  protocol: z.number(),
  deviceId: DeviceId,
  nonce: z.string().max(100),
  time: z.number(),
  sig: z.string().max(200),
});
export type Hello = z.infer<typeof Hello>;

export const Welcome = z.object({ t: z.literal('welcome'), label: z.string(), scopes: z.array(Scope) });
export type Welcome = z.infer<typeof Welcome>;

/** Close codes of our sockets. Text reason is for logs; the app words it. */
export const CLOSE = {
  refused: 4401,
  revoked: 4403,
  tooLarge: 4413,
  late: 4408,
  protocol: 4426,
  goingAway: 4001,
} as const;

/** The text that `Hello.sig` signs. */
export const helloText = (h: {
  serverId: string;
  origin: string;
  nonce: string;
  time: number;
  deviceId: string;
  purpose: string; // the socket's path, so a proof for one socket is worthless at another
}): string =>
  ['offdeck-hello-1', h.serverId, h.origin, h.purpose, h.deviceId, h.nonce, String(h.time)].join('\n');

/** POST /auth/enrol: a launch code from the URL fragment buys a device its registration, once. */
export const EnrolRequest = z.object({
  code: z.string().min(20).max(100),
  publicKey: z.object({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.string().max(64),
    y: z.string().max(64),
  }),
  label: z.string().min(1).max(80),
  sig: z.string().max(200), // over enrolText, with the new key: proves possession
});
export type EnrolRequest = z.infer<typeof EnrolRequest>;
export const enrolText = (e: { code: string; origin: string }): string =>
  ['offdeck-enrol-1', e.origin, e.code].join('\n');
export const EnrolReply = z.object({ deviceId: DeviceId, serverId: z.string(), scopes: z.array(Scope) });
export type EnrolReply = z.infer<typeof EnrolReply>;
