import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs';
import net from 'node:net';
import { basename, dirname, join } from 'node:path';
import { newId, systemClock } from '../platform';

/*
 * One host per state folder, with nothing but Unix sockets: a listening socket is a flag that the kernel lowers when
 * its process dies, so there is no stale pid to misread. A contender raises a flag of its own name and then looks for
 * others; it wins only when it sees no other living flag and no living control socket. Of two contenders the one that
 * looks later sees the other's flag, so two can never both win. The winner moves its flag onto the control socket's
 * path in one rename, which also replaces what a dead host left there: nobody ever unlinks a path that might be alive.
 */
const FLAG = /^boot-[a-z2-7]+\.sock$/;

/** A socket's process is gone only if the kernel says so; a busy or frozen host counts as alive. */
export function socketAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(path);
    const done = (alive: boolean) => {
      probe.destroy();
      resolve(alive);
    };
    probe.once('connect', () => done(true));
    probe.once('error', (error: NodeJS.ErrnoException) =>
      done(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

const listen = (server: net.Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, backlog: 511 }, () => {
      server.off('error', reject);
      resolve();
    });
  });

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Raises a flag: bound under a name nobody looks for, shown only once it listens, so it never looks dead. */
async function raise(server: net.Server, folder: string): Promise<string> {
  const id = newId(50);
  const hidden = join(folder, `boot-${id}.new`);
  const flag = join(folder, `boot-${id}.sock`);
  await listen(server, hidden);
  chmodSync(hidden, 0o600);
  renameSync(hidden, flag);
  return flag;
}

/** Other living contenders, by name. Flags of the dead are removed: their names are random and never used again. */
async function others(folder: string, own: string): Promise<string[]> {
  const names = readdirSync(folder).filter((name) => FLAG.test(name) && name !== basename(own));
  const alive = await Promise.all(
    names.map(async (name) => {
      if (await socketAlive(join(folder, name))) return true;
      rmSync(join(folder, name), { force: true });
      return false;
    }),
  );
  return names.filter((_, i) => alive[i]);
}

/**
 * Makes `server` the one listener on `path`. Resolves true when it holds the lock; false when a living process holds
 * it, or when contenders could not be told apart within the deadline.
 */
export async function takeLock(server: net.Server, path: string, deadlineMs = 20_000): Promise<boolean> {
  const folder = dirname(path);
  const until = systemClock.mono() + deadlineMs;
  let flag = await raise(server, folder);
  const lower = async () => {
    rmSync(flag, { force: true });
    await new Promise((resolve) => server.close(resolve));
  };
  for (;;) {
    const rivals = await others(folder, flag);
    // In this order: a winner's flag becomes the control socket, so looking there first could miss it in both places.
    if (await socketAlive(path)) {
      await lower();
      return false;
    }
    if (rivals.length === 0) {
      renameSync(flag, path);
      return true;
    }
    if (systemClock.mono() > until) {
      await lower();
      return false;
    }
    if (rivals.some((name) => name < basename(flag))) {
      // The lowest name stays up and the others step back, so a crowd settles in a few rounds.
      await lower();
      await pause(10 + Math.random() * 60);
      flag = await raise(server, folder);
    } else {
      await pause(5);
    }
  }
}
