import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestHost } from '../../e2e/kit/host';
import { Waiting } from '../../e2e/kit/waiting';
import { type IPty, spawnPty } from '../../server/terminal/pty';

const exec = promisify(execFile);

/**
 * The baseline: a tmux server of the same configuration without anything of ours on it, and a plain `tmux attach` in a
 * pty. `close` ends both.
 */
export class Native {
  #socket = '';
  #servers = 0;
  #pty: IPty | null = null;
  text = '';
  bytes = 0;
  readonly #waiting = new Waiting();

  constructor(private readonly host: TestHost) {}

  #tmux(...args: string[]): Promise<string> {
    const conf = join(this.host.home, 'tmux.conf');
    return exec('tmux', ['-S', this.#socket, '-f', conf, ...args], { env: this.host.env }).then(
      (r) => r.stdout,
    );
  }

  /** Starts (anew) a session that runs `command`. */
  async run(command: string): Promise<void> {
    await this.close();
    // A socket of its own: a server that is ending still holds the old one for a moment.
    this.#socket = join(this.host.root, `native-${++this.#servers}.sock`);
    await this.#tmux('new-session', '-d', '-s', 'n', '-x', '120', '-y', '32', command);
  }

  async attach(): Promise<void> {
    this.text = '';
    this.bytes = 0;
    const made = spawnPty('tmux', ['-S', this.#socket, 'attach', '-t', 'n'], {
      cols: 120,
      rows: 32,
      env: { ...this.host.env, TERM: 'xterm-256color' },
      encoding: null,
    });
    this.#pty = made;
    (made.onData as unknown as (heard: (data: Buffer) => void) => void)((data) => {
      this.bytes += data.length;
      this.text = (this.text + data.toString('latin1')).slice(-256 * 1024);
      this.#waiting.look();
    });
  }

  until(what: string, test: () => boolean, ms = 30_000): Promise<void> {
    return this.#waiting.until(`native ${what}`, test, ms);
  }

  type(keys: string): void {
    this.#pty?.write(keys);
  }
  detach(): void {
    this.#pty?.kill();
    this.#pty = null;
  }
  async close(): Promise<void> {
    this.detach();
    if (this.#socket) await this.#tmux('kill-server').catch(() => {});
  }
}
