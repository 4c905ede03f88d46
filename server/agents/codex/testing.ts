import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SessionId } from '../../contract';
import type {
  AgentRun,
  LaunchInput,
  LaunchPlan,
  PaneAccess,
  RunContext,
  ServiceHost,
  VendorEvent,
} from '../port';
import { codex } from './vendor';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TMUX = '/usr/bin/tmux';
const MACHINE = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const NATIVE = join(
  ROOT,
  `e2e/vendors/node_modules/@openai/codex-linux-${process.arch}/vendor/${MACHINE}-unknown-linux-musl/bin/codex`,
);

/** Waits until `look` gives something; fails after 30 s and says what it waited for. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + 30_000;
  for (;;) {
    const seen = await look();
    if (seen) return seen as NonNullable<Exclude<T, false>>;
    if (performance.now() > end) throw new Error(`did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** One attached run and everything it said. */
export interface Watched {
  run: AgentRun;
  events: VendorEvent[];
  asked(): Extract<VendorEvent, { type: 'asked' }>[];
  settled(): Extract<VendorEvent, { type: 'settled' }>[];
  state(): string | undefined;
}

/** For tests only: the real CLI, a loopback model, a git worktree and a tmux server, in one temporary folder. */
export class CodexBed {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'cx-')));
  readonly cwd = join(this.dir, 'worktree');
  readonly repo = join(this.dir, 'repo');
  readonly config = join(this.dir, 'home/.codex/config.toml');
  readonly modelLog = join(this.dir, 'model.jsonl');
  #model: ChildProcess | null = null;
  #watched: Watched[] = [];
  #sessions = 0;
  env: Record<string, string> = {};

  async start(options: { needsLogin?: boolean } = {}): Promise<this> {
    if (!existsSync(NATIVE))
      throw new Error('Codex is not installed for the tests: npm ci --prefix e2e/vendors');
    for (const name of ['home/.codex', 'tmp', 'bin', 'run', 'repo']) {
      mkdirSync(join(this.dir, name), { recursive: true, mode: 0o700 });
    }
    symlinkSync(NATIVE, join(this.dir, 'bin/codex'));
    const path = `${join(this.dir, 'bin')}:/usr/local/bin:/usr/bin:/bin`;
    this.env = {
      PATH: path,
      HOME: join(this.dir, 'home'),
      TMPDIR: join(this.dir, 'tmp'),
      LC_ALL: 'C.UTF-8',
      FAKE_KEY: 'fake-key',
    };
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', this.repo, '-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...args], {
        env: { ...this.env, GIT_CONFIG_GLOBAL: '/dev/null' },
        stdio: 'pipe',
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    git('worktree', 'add', '-q', '-b', 'topic', this.cwd);
    const port = await freePort();
    writeFileSync(
      this.config,
      [
        'model = "gpt-5.5"',
        'model_provider = "fake"',
        'check_for_update_on_startup = false',
        '[model_providers.fake]',
        'name = "Fake"',
        `base_url = "http://127.0.0.1:${port}/v1"`,
        'wire_api = "responses"',
        options.needsLogin ? 'requires_openai_auth = true' : 'env_key = "FAKE_KEY"',
        '',
      ].join('\n'),
    );
    const program = join(ROOT, 'e2e/fake-models/openai.mjs');
    this.#model = spawn(process.execPath, [program, '--port', String(port), '--log', this.modelLog], {
      stdio: 'ignore',
    });
    await until('the model listens', () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      ),
    );
    this.tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      '110',
      '-y',
      '32',
      '-s',
      'bed',
      'exec sleep 1000',
    );
    return this;
  }

  tmux(...args: string[]): string {
    return execFileSync(TMUX, ['-S', join(this.dir, 'run/tmux'), ...args], {
      env: { ...this.env, TERM: 'xterm-256color' },
      cwd: '/',
      stdio: 'pipe',
    }).toString();
  }

  #window(name: string, argv: readonly string[], env: Record<string, string>, cwd: string): string {
    const vars = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const command = ['/usr/bin/env', '-i', 'TERM=tmux-256color', ...vars, ...argv];
    return this.tmux(
      'new-window',
      '-d',
      '-P',
      '-F',
      '#{pane_id}',
      '-n',
      name,
      '-c',
      cwd,
      '--',
      ...command,
    ).trim();
  }

  /** Runs services as windows of the bed's tmux server; `started` counts the starts. */
  started = 0;
  readonly service: ServiceHost = {
    runtimeDir: join(this.dir, 'run'),
    ensure: async (name, spec) => {
      if (this.windows().some((row) => row.name === name)) return;
      this.started += 1;
      this.#window(name, spec.argv, spec.env, spec.cwd);
    },
  };

  windows(): { pane: string; name: string; pid: number }[] {
    return this.tmux('list-panes', '-a', '-F', '#{pane_id} #{window_name} #{pane_pid}')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([pane = '', name = '', pid = '']) => ({ pane, name, pid: Number(pid) }));
  }

  server(): number | null {
    return this.windows().find((row) => row.name.startsWith('codex-'))?.pid ?? null;
  }

  input(options: Partial<LaunchInput> = {}): LaunchInput {
    this.#sessions += 1;
    const sessionId = SessionId.parse(`session${this.#sessions}aaaa`);
    const dir = join(this.dir, 'sessions', sessionId);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return {
      path: this.env.PATH ?? '',
      userHome: this.env.HOME ?? '',
      env: { ...this.env, OFFDECK_SESSION_ID: sessionId },
      toolEnv: this.env,
      sessionId,
      dir,
      cwd: this.cwd,
      mode: 'build',
      permission: 'workspace',
      prompt: '',
      name: 'A session',
      resume: null,
      hookCommand: () => 'true',
      service: this.service,
      trustedRoot: this.repo,
      ...options,
    };
  }

  /** Launches and opens the pane, as the host would. */
  async open(input: LaunchInput): Promise<{ plan: LaunchPlan; pane: string }> {
    const plan = await codex.launch(input);
    return { plan, pane: this.#window('agent', plan.argv, { ...input.env, ...plan.env }, input.cwd) };
  }

  attach(input: LaunchInput, plan: LaunchPlan, pane: string, pendingPrompt: string): Watched {
    const events: VendorEvent[] = [];
    const never = (): never => {
      throw new Error('a vendor with an API must not touch the pane');
    };
    const access: PaneAccess = { alive: never, screen: never, paste: never, key: never, pid: never };
    const context: RunContext = {
      ...input,
      vendorSession: plan.vendorSession,
      pendingPrompt,
      pane: access,
      emit: (event) => events.push(event),
      now: () => Date.now(),
    };
    void pane;
    const watched: Watched = {
      run: codex.attach(context),
      events,
      asked: () => events.filter((event) => event.type === 'asked'),
      settled: () => events.filter((event) => event.type === 'settled' && event.vendorRef !== 'all') as never,
      state: () => events.filter((event) => event.type === 'state').at(-1)?.state,
    };
    this.#watched.push(watched);
    return watched;
  }

  async begin(
    options: Partial<LaunchInput>,
  ): Promise<Watched & { input: LaunchInput; plan: LaunchPlan; pane: string }> {
    const input = this.input(options);
    const { plan, pane } = await this.open(input);
    return { ...this.attach(input, plan, pane, input.prompt), input, plan, pane };
  }

  /** With a key that is none: the CLI does not check it before it is used, and our model does not at all. */
  signIn(): void {
    execFileSync(NATIVE, ['login', '--with-api-key'], { env: this.env, input: 'not-a-key\n', stdio: 'pipe' });
  }

  screen(pane: string): string {
    return this.tmux('capture-pane', '-p', '-t', pane);
  }

  keys(pane: string, ...keys: string[]): void {
    this.tmux('send-keys', '-t', pane, ...keys);
  }

  model(): string {
    return existsSync(this.modelLog) ? readFileSync(this.modelLog, 'utf8') : '';
  }

  async end(): Promise<void> {
    for (const { run } of this.#watched) await run.close();
    const servers = this.windows().map((row) => row.pid);
    this.tmux('kill-server');
    this.#model?.kill('SIGKILL');
    for (const pid of servers) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended with its terminal.
      }
    }
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 40, retryDelay: 100 });
  }
}
