import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client';
import {
  ALL_SCOPES,
  answerText,
  type Decision,
  type DeviceId,
  EnrolReply,
  enrolText,
  helloText,
  PROTOCOL,
} from '../contract';
import { redact } from '../platform';
import { createAuth } from './auth';
import { readPublicKey, verifySignature } from './device-key';
import { createLaunchCodes, LAUNCH_CODE_MS } from './launch-codes';
import { createUsedNonces } from './used-nonces';

const ORIGIN = 'http://127.0.0.1:7433';
const time = { now: 1_700_000_000_000, mono: 1_000 };
const clock = { now: () => time.now, mono: () => time.mono };

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwkOf = (key: KeyObject) => {
  const { x, y } = key.export({ format: 'jwk' }) as { x: string; y: string };
  return { kty: 'EC' as const, crv: 'P-256' as const, x, y };
};
const signed = (key: KeyObject, text: string) =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');

const open = () =>
  openDatabase({ file: ':memory:', migrations: 'db/migrations', backups: null, now: () => 7 });
let db: ReturnType<typeof open>;
let auth: ReturnType<typeof createAuth>;
beforeEach(() => {
  db = open();
  auth = createAuth({ db, clock });
});

const enrol = (code = auth.newLaunchCode(), keys = pair(), origin = ORIGIN, label = 'Firefox on desk') => {
  const reply = auth.enrol(
    {
      code,
      publicKey: jwkOf(keys.publicKey),
      label,
      sig: signed(keys.privateKey, enrolText({ code, origin: ORIGIN })),
    },
    origin,
  );
  return { ...reply, key: keys.privateKey };
};
const code = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'nothing thrown';
};

describe('launch codes', () => {
  it('are 256 bits that the redactor knows', () => {
    const codes = createLaunchCodes(clock);
    const one = codes.issue();
    expect(Buffer.from(one.slice('odl_'.length), 'base64url')).toHaveLength(32);
    expect(one).not.toBe(codes.issue());
    expect(redact(`http://127.0.0.1:7433/#${one}`)).not.toContain(one.slice(4, 20));
  });

  it('work once, for a minute', () => {
    const codes = createLaunchCodes(clock);
    const [used, old, young] = [codes.issue(), codes.issue(), codes.issue()];
    expect(codes.take(used)).toBe(true);
    expect(codes.take(used)).toBe(false);
    time.mono += LAUNCH_CODE_MS - 1;
    expect(codes.take(young)).toBe(true);
    time.mono += 1;
    expect(codes.take(old)).toBe(false);
    expect(codes.take(`${codes.issue()}x`)).toBe(false);
  });

  it('do not pile up: the oldest make room', () => {
    const codes = createLaunchCodes(clock);
    const all = Array.from({ length: 40 }, () => codes.issue());
    expect(all.filter((one) => codes.take(one))).toEqual(all.slice(-16));
  });
});

describe('device keys', () => {
  it('verify what WebCrypto signs, and nothing else', async () => {
    const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
      'sign',
      'verify',
    ]);
    const jwk = (await crypto.subtle.exportKey('jwk', keys.publicKey)) as ReturnType<typeof jwkOf>;
    const text = 'some text — with more than ASCII';
    const bytes = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      keys.privateKey,
      Buffer.from(text),
    );
    const sig = Buffer.from(bytes).toString('base64url');
    const clean = readPublicKey(jwk);
    expect(Object.keys(clean)).toEqual(['kty', 'crv', 'x', 'y']);
    expect(verifySignature(clean, text, sig)).toBe(true);
    expect(verifySignature(clean, `${text}.`, sig)).toBe(false);
    expect(verifySignature(jwkOf(pair().publicKey), text, sig)).toBe(false);
    // Other spellings of the same bytes, and other forms.
    for (const bad of ['', `${sig}=`, `${sig}A`, ` ${sig}`, sig.slice(1), 'A'.repeat(86), '*'.repeat(86)]) {
      expect(verifySignature(clean, text, bad)).toBe(false);
    }
  });

  it('are refused when they are no point of P-256', () => {
    const good = jwkOf(pair().publicKey);
    const other = jwkOf(pair().publicKey);
    const zero = Buffer.alloc(32).toString('base64url');
    const bad: unknown[] = [
      { ...good, x: other.x }, // not on the curve
      { ...good, x: zero, y: zero },
      { ...good, x: Buffer.alloc(32, 255).toString('base64url') },
      { ...good, x: '' },
      { ...good, y: `${good.y}=` },
      { ...good, y: good.y.slice(1) },
      { ...good, crv: 'P-384' },
      { ...good, kty: 'RSA' },
    ];
    for (const jwk of bad) expect(code(() => readPublicKey(jwk as typeof good))).toBe('bad-input');
    expect(readPublicKey(good)).toEqual(good);
  });
});

describe('signing a browser in', () => {
  it('gives it every scope and stores no more than the public key', () => {
    const device = enrol();
    expect(EnrolReply.parse(device)).toEqual({
      deviceId: device.deviceId,
      serverId: auth.serverId,
      scopes: ALL_SCOPES,
    });
    const { d } = device.key.export({ format: 'jwk' }) as { d: string };
    const dump = JSON.stringify(db.$client.prepare('select * from devices').all());
    expect(dump).toContain('Firefox on desk');
    expect(dump).not.toContain(d);
    expect(JSON.stringify(auth.list())).not.toContain('kty');
    expect(auth.list()).toMatchObject([{ id: device.deviceId, lastSeen: null, revoked: null }]);
  });

  it('needs a code of ours that was never used', () => {
    const launch = auth.newLaunchCode();
    enrol(launch);
    expect(code(() => enrol(launch))).toBe('signed-out');
    expect(code(() => enrol(`odl_${'A'.repeat(43)}`))).toBe('signed-out');
    const old = auth.newLaunchCode();
    time.mono += LAUNCH_CODE_MS;
    expect(code(() => enrol(old))).toBe('signed-out');
    expect(auth.list()).toHaveLength(1);
  });

  it('needs the key and this origin, and a failed proof does not burn the code', () => {
    const launch = auth.newLaunchCode();
    expect(code(() => enrol(launch, pair(), 'http://localhost:7433'))).toBe('bad-input');
    const mixed = { publicKey: pair().publicKey, privateKey: pair().privateKey };
    expect(code(() => enrol(launch, mixed))).toBe('bad-input');
    expect(code(() => enrol(launch))).toBe('nothing thrown');
  });

  it('keeps labels to one plain line', () => {
    enrol(undefined, undefined, undefined, 'Phone\n\u202eadmin\u0007  x');
    expect(auth.list()[0]!.label).toBe('Phone admin x');
    expect(code(() => enrol(undefined, undefined, undefined, '\u200b\n'))).toBe('bad-input');
  });

  it('keeps the id of this host, and another host has another', () => {
    expect(createAuth({ db, clock }).serverId).toBe(auth.serverId);
    expect(createAuth({ db: open(), clock }).serverId).not.toBe(auth.serverId);
  });
});

describe('proving a socket', () => {
  const proof = (device: { deviceId: DeviceId; key: KeyObject }, change: Record<string, unknown> = {}) => {
    const about = {
      serverId: auth.serverId,
      origin: ORIGIN,
      nonce: 'n'.repeat(43),
      purpose: '/ws/rpc',
      time: 5,
      deviceId: device.deviceId,
      ...change,
    } as Parameters<typeof helloText>[0];
    return {
      hello: {
        t: 'hello' as const,
        protocol: PROTOCOL,
        deviceId: device.deviceId,
        nonce: about.nonce,
        time: 5,
        sig: signed(device.key, helloText(about)),
      },
      nonce: 'n'.repeat(43),
      origin: ORIGIN,
      purpose: '/ws/rpc',
      openedAt: time.mono,
    };
  };

  it('says who it is', () => {
    const device = enrol();
    expect(auth.proveSocket(proof(device))).toEqual({
      deviceId: device.deviceId,
      label: 'Firefox on desk',
      scopes: ALL_SCOPES,
    });
    expect(auth.list()[0]!.lastSeen).toBe(time.now);
  });

  it('is bound to host, origin, socket, nonce, device and time', () => {
    const device = enrol();
    const other = enrol();
    for (const change of [
      { serverId: 'anotherserver' },
      { origin: 'http://localhost:7433' },
      { purpose: '/ws/term' },
      { nonce: 'm'.repeat(43) },
      { time: 6 },
      { deviceId: other.deviceId },
    ]) {
      expect(
        code(() => auth.proveSocket(proof(device, change))),
        JSON.stringify(change),
      ).toBe('signed-out');
    }
    // Another's key under this device's name, and a device nobody knows.
    expect(code(() => auth.proveSocket(proof({ ...device, key: other.key })))).toBe('signed-out');
    expect(code(() => auth.proveSocket(proof({ ...device, deviceId: 'x'.repeat(20) as DeviceId })))).toBe(
      'signed-out',
    );
    expect(code(() => auth.proveSocket(proof(device)))).toBe('nothing thrown');
  });

  it('is worth nothing late or after revocation', () => {
    const device = enrol();
    const late = { ...proof(device), openedAt: time.mono - 5_001 };
    expect(code(() => auth.proveSocket(late))).toBe('signed-out');
    auth.revoke(device.deviceId);
    expect(code(() => auth.proveSocket(proof(device)))).toBe('signed-out');
  });

  it('tells the listeners of a revocation once', () => {
    const device = enrol();
    const heard: string[] = [];
    const stop = auth.onRevoked((id) => heard.push(id));
    expect(auth.isLive(device.deviceId)).toBe(true);
    auth.revoke(device.deviceId);
    auth.revoke(device.deviceId);
    expect(heard).toEqual([device.deviceId]);
    expect(auth.isLive(device.deviceId)).toBe(false);
    expect(auth.list()[0]!.revoked).toBe(time.now);
    expect(code(() => auth.revoke('x'.repeat(20) as DeviceId))).toBe('not-found');
    stop();
    auth.revoke(enrol().deviceId);
    expect(heard).toHaveLength(1);
  });
});

describe('an answer', () => {
  const answer = (
    device: { deviceId: DeviceId; key: KeyObject },
    change: Record<string, unknown> = {},
    nonce = `nonce-${Math.random()}`,
  ) => {
    const fields = {
      needId: 'need12345678',
      digest: 'd'.repeat(64),
      decision: 'allow' as Decision,
      nonce,
      time: time.now,
      deviceId: device.deviceId,
    };
    const sig = signed(device.key, answerText({ serverId: auth.serverId, ...fields }));
    return { ...fields, sig, ...change } as typeof fields & { sig: string };
  };

  it('counts when the device signed exactly it', () => {
    expect(auth.verifyAnswer(answer(enrol()))).toBe('Firefox on desk');
  });

  it('is refused when any part of it was changed', () => {
    const device = enrol();
    const other = enrol();
    for (const change of [
      { needId: 'need87654321' },
      { digest: 'e'.repeat(64) },
      { decision: 'deny' },
      { nonce: 'another-nonce-of-the-same' },
      { time: time.now + 1 },
      { deviceId: other.deviceId },
      { sig: answer(device).sig },
    ]) {
      expect(
        code(() => auth.verifyAnswer(answer(device, change))),
        JSON.stringify(change),
      ).toBe('signed-out');
    }
  });

  it('counts once', () => {
    const device = enrol();
    const once = answer(device);
    auth.verifyAnswer(once);
    expect(code(() => auth.verifyAnswer(once))).toBe('conflict');
    // A forged message must not be able to use up the nonce of a true one.
    const next = answer(device);
    expect(code(() => auth.verifyAnswer({ ...next, decision: 'deny' }))).toBe('signed-out');
    expect(auth.verifyAnswer(next)).toBe('Firefox on desk');
  });

  it('needs a live device with that scope and a clock within a day', () => {
    const device = enrol();
    const far = time.now - 24 * 3_600_000 - 1;
    const old = (when: number) => ({
      ...answer(device),
      time: when,
      nonce: 'a'.repeat(20),
      sig: signed(
        device.key,
        answerText({ serverId: auth.serverId, ...answer(device), time: when, nonce: 'a'.repeat(20) }),
      ),
    });
    expect(code(() => auth.verifyAnswer(old(far)))).toBe('bad-input');
    expect(code(() => auth.verifyAnswer(old(Number.NaN)))).toBe('bad-input');
    expect(auth.verifyAnswer(old(far + 1_000))).toBe('Firefox on desk');
    db.$client.prepare('update devices set scopes = ?').run(JSON.stringify(['view', 'type']));
    expect(code(() => auth.verifyAnswer(answer(device)))).toBe('not-allowed');
    db.$client.prepare('update devices set scopes = ?').run(JSON.stringify(['answer']));
    expect(auth.verifyAnswer(answer(device))).toBe('Firefox on desk');
    auth.revoke(device.deviceId);
    expect(code(() => auth.verifyAnswer(answer(device)))).toBe('signed-out');
  });

  it('remembers a bounded number of nonces, and no device pushes out another’s', () => {
    const nonces = createUsedNonces();
    expect(nonces.use('a', 'first')).toBe(true);
    for (let i = 0; i < 5_000; i++) nonces.use('b', String(i));
    expect(nonces.use('a', 'first')).toBe(false);
    expect(nonces.use('b', '4999')).toBe(false);
    expect(nonces.use('b', '0')).toBe(true);
  });
});
