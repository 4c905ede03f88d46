/** This browser's identity: a key pair whose private half cannot leave the browser, in this origin's own storage. */
export interface Identity {
  deviceId: string;
  serverId: string;
  keys: CryptoKeyPair;
}

const open = (): Promise<IDBDatabase> =>
  new Promise((done, fail) => {
    const request = indexedDB.open('offdeck', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('identity');
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });

async function withStore<T>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const db = await open();
  try {
    return await new Promise<T>((done, fail) => {
      const request = use(db.transaction('identity', mode).objectStore('identity'));
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
  } finally {
    db.close();
  }
}

let cached: Identity | null = null;

export async function readIdentity(): Promise<Identity | null> {
  cached ??= ((await withStore('readonly', (store) => store.get('me'))) as Identity | undefined) ?? null;
  return cached;
}
export async function writeIdentity(identity: Identity): Promise<void> {
  await withStore('readwrite', (store) => store.put(identity, 'me'));
  cached = identity;
}
export async function forgetIdentity(): Promise<void> {
  await withStore('readwrite', (store) => store.delete('me'));
  cached = null;
}

export const newKeys = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'sign',
    'verify',
  ]) as Promise<CryptoKeyPair>;

export function base64url(data: ArrayBuffer | Uint8Array): string {
  const bytes = new Uint8Array(data as ArrayBuffer);
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export async function sign(keys: CryptoKeyPair, text: string): Promise<string> {
  return base64url(
    await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      keys.privateKey,
      new TextEncoder().encode(text),
    ),
  );
}
