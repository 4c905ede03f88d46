import type { Server } from 'node:http';
import { AppError } from '../contract';
import { portOwner } from './port-owner';

/** Throws AppError `bad-input` for what cannot be a fixed port (0 would mean any). */
export function requirePort(port: number): void {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new AppError({
      code: 'bad-input',
      message: 'The port is no number from 1 to 65535.',
      hint: 'Set OFFDECK_PORT to a free port.',
    });
  }
}

/** What a missing IPv6 loopback looks like; everything else is an error. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT']);

/**
 * Binds the loopback addresses, both or none, and no other port than asked for (S-02): whoever holds the other family
 * of our port would be our origin for a browser that tries it first. `makeServer` is called once an address.
 * Throws AppError naming who holds the port.
 */
export async function listenOnLoopback(
  port: number,
  makeServer: () => Server,
): Promise<{ servers: Server[]; note: string | null }> {
  const v4 = makeServer();
  await listen(v4, '127.0.0.1', port);
  const v6 = makeServer();
  try {
    await listen(v6, '::1', port);
  } catch (error) {
    if (NO_IPV6.has((error as NodeJS.ErrnoException).code ?? '')) {
      return { servers: [v4], note: 'This machine has no IPv6 loopback; listening on 127.0.0.1 only.' };
    }
    await new Promise((done) => v4.close(done));
    throw error;
  }
  return { servers: [v4, v6], note: null };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true, ipv6Only: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      const owner = await portOwner(port);
      const who = owner ? `${owner.command} (process ${owner.pid})` : 'another program';
      throw new AppError({
        code: 'conflict',
        message: `Port ${port} is taken by ${who}.`,
        hint: 'Stop it, or set OFFDECK_PORT to a free port.',
        cause,
      });
    }
    if (code === 'EACCES') {
      throw new AppError({
        code: 'bad-input',
        message: `Port ${port} may not be used by this user.`,
        hint: 'Set OFFDECK_PORT to a port above 1023.',
        cause,
      });
    }
    throw cause;
  }
}
