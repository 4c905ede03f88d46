import { z } from 'zod';
import { DeviceId } from './ids';
import { Scope } from './scopes';

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
export const EnrolReply = z.object({ deviceId: DeviceId, serverId: z.string(), scopes: z.array(Scope) });
export type EnrolReply = z.infer<typeof EnrolReply>;
