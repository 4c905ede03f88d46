import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { devices } from '../../db/schema/devices';
import { meta } from '../../db/schema/log';
import { DeviceId, Scope } from '../contract';
import { newId } from '../platform';
import type { DevicePublicKey } from './device-key';

/** The database handle `createAuth` wants; named here because only a store may know `db/`. */
export type AuthDb = Db;

export interface StoredDevice {
  id: DeviceId;
  label: string;
  publicKey: DevicePublicKey;
  scopes: Scope[];
  created: number;
  lastSeen: number | null;
  revoked: number | null;
}

export interface DeviceStore {
  /** Names this state folder for ever: what a device signs for one host is worthless at another. */
  serverId(): string;
  add(device: StoredDevice): void;
  get(id: string): StoredDevice | null;
  list(): StoredDevice[];
  seen(id: DeviceId, at: number): void;
  /** True if this call revoked it; false if it was revoked before or never existed. */
  revoke(id: DeviceId, at: number): boolean;
}

type Row = typeof devices.$inferSelect;
const fromRow = (row: Row): StoredDevice => ({
  id: DeviceId.parse(row.id),
  label: row.label,
  publicKey: JSON.parse(row.publicKey) as DevicePublicKey,
  scopes: Scope.array().parse(JSON.parse(row.scopes)),
  created: row.created,
  lastSeen: row.lastSeen,
  revoked: row.revoked,
});

const SERVER_ID = 'server-id';

/** The paired devices and this host's own id. Rows are never deleted: a revoked device stays in the list. */
export function openDeviceStore(db: AuthDb): DeviceStore {
  return {
    serverId() {
      db.insert(meta)
        .values({ key: SERVER_ID, value: newId(130) })
        .onConflictDoNothing()
        .run();
      return db.select().from(meta).where(eq(meta.key, SERVER_ID)).get()!.value;
    },
    add(device) {
      db.insert(devices)
        .values({
          ...device,
          publicKey: JSON.stringify(device.publicKey),
          scopes: JSON.stringify(device.scopes),
        })
        .run();
    },
    get(id) {
      const row = db.select().from(devices).where(eq(devices.id, id)).get();
      return row ? fromRow(row) : null;
    },
    list: () => db.select().from(devices).orderBy(asc(devices.created), asc(devices.id)).all().map(fromRow),
    seen(id, at) {
      db.update(devices).set({ lastSeen: at }).where(eq(devices.id, id)).run();
    },
    revoke(id, at) {
      const result = db
        .update(devices)
        .set({ revoked: at })
        .where(and(eq(devices.id, id), isNull(devices.revoked)))
        .run();
      return result.changes === 1;
    },
  };
}
