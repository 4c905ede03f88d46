import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { findProgram, run } from '../platform';

export interface PortOwner {
  pid: number;
  command: string;
}

/**
 * Who listens on this port, as far as this user may see: the error about a taken port should name the culprit. Best
 * effort: null when it cannot be told. Never throws.
 */
export async function portOwner(
  port: number,
  platform: NodeJS.Platform = process.platform,
): Promise<PortOwner | null> {
  try {
    return platform === 'linux' ? await fromProc(port) : await fromLsof(port);
  } catch {
    return null;
  }
}

const LISTEN = '0A';

async function fromProc(port: number): Promise<PortOwner | null> {
  const inodes = new Set<string>();
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(suffix) && fields[3] === LISTEN && fields[9]) {
        inodes.add(`socket:[${fields[9]}]`);
      }
    }
  }
  if (inodes.size === 0) return null;
  for (const pid of await readdir('/proc')) {
    // Not ourselves: we may hold the port's other family while we ask.
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const fds = await readdir(`/proc/${pid}/fd`).catch(() => []); // another user's: not ours to see
    for (const fd of fds) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (inodes.has(target)) return { pid: Number(pid), command: await commandOf(pid) };
    }
  }
  return null;
}

/** The program and, for an interpreter, its script. Never more: further arguments may hold a secret. */
async function commandOf(pid: string): Promise<string> {
  const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const program = basename(argv[0] ?? '');
  const script =
    argv[1] && /^\/?[\w.@/-]+\.(m?js|c?js|ts|py|rb)$/.test(argv[1]) ? ` ${basename(argv[1])}` : '';
  return `${program}${script}`.slice(0, 80);
}

async function fromLsof(port: number): Promise<PortOwner | null> {
  const lsof = findProgram('lsof', '/usr/sbin:/usr/bin:/bin');
  if (lsof === null) return null;
  const { stdout } = await run(lsof, ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], {
    env: {},
    timeoutMs: 3_000,
  });
  const lines = stdout.toString('utf8').split('\n');
  const at = lines.findIndex((line) => /^p\d+$/.test(line) && line !== `p${process.pid}`);
  return at < 0 ? null : { pid: Number(lines[at]!.slice(1)), command: lines[at + 1]?.slice(1) ?? '' };
}
