import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { AppError } from '../contract';

export interface DevicePublicKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

// 32 and 64 bytes as unpadded base64url. Node decodes sloppily (padding, other alphabets, trailing rubbish), so the text
// itself is judged first: one key and one signature have one spelling.
const COORDINATE = /^[A-Za-z0-9_-]{43}$/;
const SIGNATURE = /^[A-Za-z0-9_-]{86}$/;

/**
 * The key in its only spelling, with nothing but the four public members: a private part sent by mistake is dropped
 * here and never stored. Throws AppError `bad-input` for anything that is no point of P-256.
 */
export function readPublicKey(jwk: DevicePublicKey): DevicePublicKey {
  const clean: DevicePublicKey = { kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.y };
  const fits = jwk.kty === 'EC' && jwk.crv === 'P-256' && COORDINATE.test(jwk.x) && COORDINATE.test(jwk.y);
  if (!fits || importKey(clean) === null) {
    throw new AppError({ code: 'bad-input', message: 'The device key is not a P-256 public key.' });
  }
  return clean;
}

/** True if `sig` (base64url, IEEE-P1363) is the key's signature over exactly this text. Never throws. */
export function verifySignature(jwk: DevicePublicKey, text: string, sig: string): boolean {
  if (!SIGNATURE.test(sig)) return false;
  const key = importKey(jwk);
  if (key === null) return false;
  try {
    return verify(
      'sha256',
      Buffer.from(text, 'utf8'),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(sig, 'base64url'),
    );
  } catch {
    return false; // e.g. r or s out of range
  }
}

function importKey(jwk: DevicePublicKey): KeyObject | null {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    return null;
  }
}
