import {
  ALL_SCOPES,
  AppError,
  answerText,
  type Decision,
  DeviceId,
  type EnrolReply,
  type EnrolRequest,
  enrolText,
  type Hello,
  helloText,
  type Scope,
} from '../contract';
import { type Clock, newId, sameSecret } from '../platform';
import { readPublicKey, verifySignature } from './device-key';
import { createLaunchCodes } from './launch-codes';
import { type AuthDb, openDeviceStore, type StoredDevice } from './store';
import { createUsedNonces } from './used-nonces';

/** A device that has just proved that it holds its key. */
export interface ProvenDevice {
  deviceId: DeviceId;
  label: string;
  scopes: readonly Scope[];
}
/** A row of the device list; the key is nobody's business. */
export type KnownDevice = Omit<StoredDevice, 'publicKey'>;

export interface SocketProof {
  hello: Hello;
  nonce: string; // the one this very socket was sent
  origin: string; // from the upgrade request, checked against the list
  purpose: string; // the socket's path
  openedAt: number; // monotonic, when the nonce was sent
}
export interface AnswerProof {
  deviceId: DeviceId;
  needId: string;
  digest: string;
  decision: Decision;
  detail?: string | undefined;
  nonce: string;
  time: number;
  sig: string;
}

export interface Auth {
  readonly serverId: string;
  /** A one-use code, good for a minute, that registers one browser with every scope. Secret: fragment only. */
  newLaunchCode(): string;
  /** Registers a browser. Throws AppError `bad-input` (key, signature) or `signed-out` (code). */
  enrol(request: EnrolRequest, origin: string): EnrolReply;
  /** Who is on this socket. Throws AppError `signed-out`. */
  proveSocket(proof: SocketProof): ProvenDevice;
  /** Checks that a live device with scope `answer` signed exactly this; returns its label. Throws AppError. */
  verifyAnswer(answer: AnswerProof): string;
  list(): KnownDevice[];
  /** Ends a device for good and tells the listeners before it returns. Throws AppError `not-found`. */
  revoke(id: DeviceId): void;
  onRevoked(listener: (id: DeviceId) => void): () => void;
  isLive(id: string): boolean;
}

export const HELLO_MS = 5_000;
/** Our own receive time decides about freshness; this only catches clocks that are plainly broken. */
const CLOCK_SLACK_MS = 24 * 3_600_000;
/** A phone redials often; its "last seen" needs no flushed write each time. */
const SEEN_EVERY_MS = 60_000;

const signedOut = (message: string, hint?: string) => new AppError({ code: 'signed-out', message, hint });
const OPEN_AGAIN = 'Run "offdeck open" on the host for a new link.';

/** See the door. `db` holds the devices and the id of this host. */
export function createAuth({ db, clock }: { db: AuthDb; clock: Clock }): Auth {
  const store = openDeviceStore(db);
  const serverId = store.serverId();
  const codes = createLaunchCodes(clock);
  const nonces = createUsedNonces();
  const listeners = new Set<(id: DeviceId) => void>();

  return {
    serverId,
    newLaunchCode: codes.issue,

    enrol(request, origin) {
      const publicKey = readPublicKey(request.publicKey);
      const label = plainLabel(request.label);
      // Before the code is taken: a request that proves nothing must not burn the person's link.
      if (!verifySignature(publicKey, enrolText({ code: request.code, origin }), request.sig)) {
        throw new AppError({ code: 'bad-input', message: 'The device did not prove that it holds its key.' });
      }
      if (!codes.take(request.code)) {
        // Unknown, used and too old look alike, so guessing learns nothing.
        throw signedOut('This link has been used already or is older than a minute.', OPEN_AGAIN);
      }
      const device: StoredDevice = {
        id: DeviceId.parse(newId()),
        label,
        publicKey,
        scopes: [...ALL_SCOPES],
        created: clock.now(),
        lastSeen: null,
        revoked: null,
      };
      store.add(device);
      return { deviceId: device.id, serverId, scopes: device.scopes };
    },

    proveSocket({ hello, nonce, origin, purpose, openedAt }) {
      if (clock.mono() - openedAt > HELLO_MS) throw signedOut('The device took too long to prove itself.');
      const device = store.get(hello.deviceId);
      const text = helloText({
        serverId,
        origin,
        nonce,
        time: hello.time,
        deviceId: hello.deviceId,
        purpose,
      });
      const proven =
        device !== null &&
        sameSecret(hello.nonce, nonce) &&
        verifySignature(device.publicKey, text, hello.sig);
      if (!proven) throw signedOut('This browser is not signed in on this host.', OPEN_AGAIN);
      // Said only to who holds the key.
      if (device.revoked !== null) throw signedOut('This device was removed.', OPEN_AGAIN);
      const now = clock.now();
      if (device.lastSeen === null || Math.abs(now - device.lastSeen) >= SEEN_EVERY_MS)
        store.seen(device.id, now);
      return { deviceId: device.id, label: device.label, scopes: device.scopes };
    },

    verifyAnswer({ deviceId, needId, digest, decision, detail, nonce, time, sig }) {
      const device = store.get(deviceId);
      if (device === null || device.revoked !== null) throw signedOut('This device was removed.', OPEN_AGAIN);
      if (!device.scopes.includes('answer')) {
        throw new AppError({ code: 'not-allowed', message: 'This device may not answer requests.' });
      }
      // Written so that NaN is refused too.
      if (!(Math.abs(clock.now() - time) <= CLOCK_SLACK_MS)) {
        throw new AppError({
          code: 'bad-input',
          message: 'The answer carries a time more than a day away.',
          hint: 'Check the clock of this device.',
        });
      }
      const text = answerText({ serverId, needId, digest, decision, deviceId, nonce, time, detail });
      if (!verifySignature(device.publicKey, text, sig)) {
        throw signedOut('The answer is not signed by this device.', 'Reload the page and answer again.');
      }
      // After the signature: only the device itself can use up its nonces.
      if (!nonces.use(deviceId, nonce)) {
        throw new AppError({ code: 'conflict', message: 'This answer was received before.' });
      }
      return device.label;
    },

    list: () => store.list().map(({ publicKey: _, ...row }) => row),

    revoke(id) {
      if (store.get(id) === null) throw new AppError({ code: 'not-found', message: 'No such device.' });
      if (!store.revoke(id, clock.now())) return;
      for (const listener of listeners) listener(id);
    },

    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    isLive(id) {
      const device = store.get(id);
      return device !== null && device.revoked === null;
    },
  };
}

/** A label is shown beside answers: no control, line or direction characters that could make it read as another. */
function plainLabel(label: string): string {
  const plain = label
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (plain === '') throw new AppError({ code: 'bad-input', message: 'The device needs a name.' });
  return plain;
}
