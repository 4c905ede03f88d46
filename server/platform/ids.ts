import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** A random id of lower-case letters and digits with `bits` of entropy (5 a character). */
export function newId(bits = 100): string {
  const length = Math.ceil(bits / 5);
  let out = '';
  for (const byte of randomBytes(length)) out += ALPHABET[byte & 31];
  return out;
}

/** A 256-bit secret as base64url, with a prefix the redactor recognises (S-22). */
export const newSecret = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`;

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Constant-time comparison of two secrets through their hashes, so lengths do not leak either. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

/**
 * JSON with sorted keys and no spaces: the same value always gives the same bytes, so a digest is a name for exactly
 * one request (A-01). Undefined members are dropped as JSON does.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value as Record<string, unknown>)
    .filter(([, v]) => v !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(',')}}`;
}
