import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);
export const ROOT = resolve(import.meta.dirname, '../..');
const CLI = join(ROOT, 'dist', 'cli.mjs');

export interface StatusRow {
  id: string;
  name: string;
  vendor: string;
  kind: string;
  project: string | null;
  worktree: string | null;
  state: string;
  since: number;
  needs: number;
}

/** Waits for a condition to hold, by asking again; fails with the last value after `ms`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  ms = 40_000,
): Promise<T> {
  const end = Date.now() + ms;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const value = await ask();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, 60));
  }
  throw new Error(
    `${what}: not within ${ms} ms (last: ${last instanceof Error ? last.message : JSON.stringify(last)})`,
  );
}

export const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = net.createServer();
    server.on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => done(port));
    });
  });

/** A real host: its own state folder, port, home folder and private tmux server. `dispose` ends all of it. */
export class TestHost {
  readonly root = mkdtempSync(join(tmpdir(), 'od-'));
  readonly home = join(this.root, 'state');
  readonly userHome = join(this.root, 'home');
  port = 0;
  output = '';
  #child: ChildProcess | null = null;
  readonly env: Record<string, string>;

  constructor(extra: Record<string, string> = {}) {
    mkdirSync(this.userHome, { recursive: true });
    writeFileSync(
      join(this.userHome, '.gitconfig'),
      '[user]\n\tname = Test\n\temail = test@localhost\n[init]\n\tdefaultBranch = main\n',
    );
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.userHome,
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      PS1: '$ ',
      OFFDECK_HOME: this.home,
      OFFDECK_SCRIPTED: '1',
      ...extra,
    };
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(args: string[] = [], extra: Record<string, string> = {}): Promise<this> {
    this.port ||= await freePort();
    this.env.OFFDECK_PORT = String(this.port);
    this.output = '';
    const child = spawn(process.execPath, [CLI, 'start', '--no-open', ...args], {
      env: { ...this.env, ...extra },
      cwd: this.root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const collect = (chunk: Buffer) => {
      this.output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    await until('the host answers', async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`the host ended (${child.exitCode ?? child.signalCode}):\n${this.output}`);
      }
      return (await fetch(`${this.url}/healthz`)).ok;
    });
    // The page answers a moment before the host has taken up its sessions again.
    await until('the host is ready', async () => (await this.cli('status')).code === 0);
    return this;
  }

  /** Resolves when nobody holds the host's output open any more. */
  get outputClosed(): Promise<void> {
    const child = this.#child;
    return new Promise((done) => {
      if (child?.stdout?.closed !== false) done();
      else child.stdout.once('close', () => done());
    });
  }

  get exited(): Promise<number | string | null> {
    const child = this.#child;
    if (!child) return Promise.resolve(null);
    if (child.exitCode !== null || child.signalCode !== null)
      return Promise.resolve(child.exitCode ?? child.signalCode);
    return new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const exited = this.exited;
    this.#child?.kill(signal);
    await exited;
  }

  /** Runs the `offdeck` command against this host. Never throws for an exit code. */
  async cli(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    try {
      const { stdout, stderr } = await exec(process.execPath, [CLI, ...args], {
        env: this.env,
        cwd: this.root,
      });
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const failed = error as { code?: number; stdout?: string; stderr?: string };
      return { code: failed.code ?? 1, out: failed.stdout ?? '', err: failed.stderr ?? '' };
    }
  }

  async link(): Promise<string> {
    const { out, err } = await this.cli('open', '--print');
    const link = /http:\/\/\S+/.exec(out)?.[0];
    if (!link) throw new Error(`no link: ${out}${err}`);
    return link;
  }

  async sessions(): Promise<StatusRow[]> {
    const { out, err, code } = await this.cli('status', '--json');
    if (code !== 0) throw new Error(err);
    return (JSON.parse(out) as { sessions: StatusRow[] }).sessions;
  }

  async session(name: string): Promise<StatusRow | undefined> {
    return (await this.sessions()).find((row) => row.name === name);
  }

  tmux(...args: string[]): Promise<string> {
    return exec('tmux', ['-S', join(this.home, 'run', 'tmux.sock'), ...args], { env: this.env }).then(
      (r) => r.stdout,
    );
  }

  /** The pane of the only session. */
  async pane(): Promise<string> {
    const rows = (await this.tmux('list-panes', '-a', '-F', '#{@sid} #{pane_id}')).split('\n');
    const found = rows.map((row) => row.split(' ')).find(([sid]) => sid);
    if (!found?.[1]) throw new Error('no session has a pane');
    return found[1];
  }

  /** Presses a key in an open dialog, again only while its text still stands: the first may come before it listens. */
  async pressInDialog(key: string, dialog: RegExp): Promise<void> {
    const pane = await this.pane();
    const shows = async () => dialog.test(await this.tmux('capture-pane', '-p', '-t', pane));
    await until('the dialog is on the screen', shows);
    await until('the dialog took the key', async () => {
      if (!(await shows())) return true;
      await this.tmux('send-keys', '-t', pane, key);
      await new Promise((done) => setTimeout(done, 700));
      return !(await shows());
    });
  }

  async repository(name = 'billing-svc'): Promise<string> {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'README.md'), '# test\n');
    const git = (...args: string[]) => exec('git', ['-C', path, ...args], { env: this.env });
    await git('init', '-q', '-b', 'main');
    await git('add', '.');
    await git('commit', '-q', '-m', 'first');
    return path;
  }

  async dispose(): Promise<void> {
    await this.kill('SIGTERM').catch(() => {});
    const pids = await this.tmux('list-panes', '-a', '-F', '#{pane_pid}').catch(() => '');
    await this.tmux('kill-server').catch(() => {});
    // A CLI that is hung up still writes its farewell into the folder that is about to go.
    for (const pid of pids.split('\n').filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    await until('the folder of the test is gone', () => {
      rmSync(this.root, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
      return true;
    }).catch((error: Error) => process.stderr.write(`left behind: ${error.message}\n`));
  }
}
