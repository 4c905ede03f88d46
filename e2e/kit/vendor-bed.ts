import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { claude } from '../../server/agents/claude';
import { codex } from '../../server/agents/codex';
import type {
  AgentRun,
  AgentVendor,
  LaunchInput,
  LaunchPlan,
  RecordedImage,
  VendorEvent,
} from '../../server/agents/port';
import { scripted } from '../../server/agents/scripted';
import { type ChatItem, SessionId } from '../../server/contract';
import { createSessionSockets } from '../../server/control';
import {
  findProgram,
  newId,
  newSecret,
  type Paths,
  pathsFor,
  privateFolder,
  silentJournal,
  writePrivate,
} from '../../server/platform';
import { createTmux, type Tmux } from '../../server/tmux';
import { ROOT, TestHost, until } from './host';
import { claudeEnv, codexEnv, FakeModel, vendorBin } from './vendors';

export const VENDORS = ['scripted', 'claude', 'codex'] as const;
export type Vendor = (typeof VENDORS)[number];

/** How one says a thing to each vendor, and how one sees that its model heard it. */
interface Words {
  permission: string;
  ask(command: string): string;
  long: string; // a turn that lasts
}
const WORDS: Record<Vendor, Words> = {
  scripted: { permission: 'ask', ask: (command) => `ask ${command}`, long: 'think 120000' },
  claude: { permission: 'default', ask: (command) => `RUN_BASH: ${command}`, long: 'LONG: 120' },
  codex: { permission: 'workspace', ask: (command) => `RUN_SHELL: ${command}`, long: 'LONG: 120' },
};
const DIST = join(ROOT, 'dist');
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
type Of<T extends VendorEvent['type']> = Extract<VendorEvent, { type: T }>;

/** One session at the port: the CLI in its pane, and everything its run said. */
export interface Running {
  input: LaunchInput;
  plan: LaunchPlan;
  pane: string;
  run: AgentRun;
  events: VendorEvent[];
  of<T extends VendorEvent['type']>(type: T): Of<T>[];
  state(): string | undefined;
  /** Another observer of the same pane, as after a restart of the host. */
  again(pendingPrompt?: string): Promise<Running>;
}

/** A vendor at its port, without the host: real CLI, real tmux, real hook sockets, a loopback model. */
export class VendorBed {
  readonly words: Words;
  readonly vendor: AgentVendor;
  readonly #host = new TestHost();
  readonly #paths: Paths = pathsFor(this.#host.home);
  #model: FakeModel | null = null;
  #tmux!: Tmux;
  readonly #sockets = createSessionSockets({ paths: this.#paths, journal: silentJournal });
  readonly #running: Running[] = [];
  repo = '';

  constructor(readonly name: Vendor) {
    this.words = WORDS[name];
    this.vendor = {
      scripted: scripted({ node: process.execPath, program: join(DIST, 'scripted-agent.mjs') }),
      claude,
      codex,
    }[name];
  }

  get env(): Record<string, string> {
    return this.#host.env;
  }
  get root(): string {
    return this.#host.root;
  }

  async start(): Promise<this> {
    privateFolder(this.#paths.home);
    privateFolder(this.#paths.runtime);
    this.repo = await this.#host.repository();
    if (this.name !== 'scripted') {
      this.#model = new FakeModel(
        this.name === 'claude' ? 'anthropic.mjs' : 'openai.mjs',
        join(this.root, 'model.jsonl'),
      );
      await this.#model.start();
      Object.assign(
        this.env,
        this.name === 'claude'
          ? claudeEnv(this.root, this.repo, this.#model)
          : codexEnv(this.root, this.#model),
        { PATH: `${vendorBin(this.name, this.root)}${delimiter}${process.env.PATH}` },
      );
    }
    for (const name of Object.keys(this.env)) if (name.startsWith('OFFDECK_')) delete this.env[name];
    this.#tmux = createTmux({
      tmux: findProgram('tmux', this.env.PATH ?? '') ?? 'tmux',
      paths: this.#paths,
      toolEnv: this.env,
      journal: silentJournal,
    });
    await this.#tmux.ensureServer();
    return this;
  }

  /** Everything the model was told, as text; of the scripted agent, what it wrote down itself. */
  heard(of: Running): string {
    if (this.#model) return this.#model.log();
    const file = join(of.input.dir, 'conversation.jsonl');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  input(options: Partial<LaunchInput> = {}): LaunchInput {
    const sessionId = SessionId.parse(newId(90));
    const { dir } = this.#paths.session(sessionId);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const { env } = this;
    return {
      path: env.PATH ?? '',
      userHome: env.HOME ?? '',
      env: { ...env, OFFDECK_SESSION_ID: sessionId },
      toolEnv: env,
      sessionId,
      dir,
      cwd: this.repo,
      mode: 'build',
      permission: this.words.permission,
      prompt: '',
      name: 'A session',
      resume: null,
      hookCommand: (event) => [process.execPath, join(DIST, 'hook.mjs'), dir, event].map(quote).join(' '),
      service: {
        ensure: (name, spec) => this.#tmux.services.ensure(name, spec),
        runtimeDir: this.#paths.runtime,
      },
      trustedRoot: this.repo,
      ...options,
    };
  }

  async begin(options: Partial<LaunchInput> = {}): Promise<Running> {
    const input = this.input(options);
    const where = this.#paths.session(input.sessionId);
    const capability = newSecret('odc');
    let live: AgentRun | null = null;
    let attached: (run: AgentRun) => void = () => {};
    const first = new Promise<AgentRun>((resolve) => {
      attached = resolve;
    });
    const { socket } = await this.#sockets.open(input.sessionId, capability, async (call) =>
      (live ?? (await first)).hook(call),
    );
    writePrivate(where.capability, capability);
    writePrivate(`${where.dir}/hook.json`, JSON.stringify({ socket, capability }));
    const plan = await this.vendor.launch(input);
    this.#tmux.writeLaunch(where.launch, {
      argv: plan.argv,
      env: { ...input.env, ...plan.env },
      unset: plan.unset ?? [],
      cwd: input.cwd,
    });
    const { pane } = await this.#tmux.open({
      id: input.sessionId,
      launchFile: where.launch,
      cols: 110,
      rows: 36,
    });
    const attach = (pendingPrompt: string): Running => {
      const events: VendorEvent[] = [];
      const run = this.vendor.attach({
        ...input,
        vendorSession: plan.vendorSession,
        pendingPrompt,
        pane: this.#tmux.access(pane, input.sessionId),
        emit: (event) => void events.push(event),
        now: Date.now,
      });
      live = run;
      attached(run);
      const running: Running = {
        input,
        plan,
        pane,
        run,
        events,
        of: <T extends VendorEvent['type']>(type: T) =>
          events.filter((event): event is Of<T> => event.type === type),
        state: () => running.of('state').at(-1)?.state,
        again: async (prompt = '') => {
          // A new host finds the sockets closed and opens them anew; hooks that wait come back by themselves.
          await this.#sockets.close(input.sessionId);
          const made = attach(prompt);
          await this.#sockets.open(input.sessionId, capability, (call) => made.run.hook(call));
          return made;
        },
      };
      this.#running.push(running);
      return running;
    };
    return attach(plan.promptIncluded ? '' : input.prompt);
  }

  async alive(of: Running): Promise<boolean> {
    return this.#tmux.access(of.pane, of.input.sessionId).alive();
  }
  async end(of: Running): Promise<void> {
    await of.run.close();
    await this.#tmux.close(of.pane, of.input.sessionId);
    await until('ended', async () => !(await this.alive(of)));
  }

  /** What the conversation shows, read as the host would. */
  async shown(of: Running): Promise<ChatItem[]> {
    return (await this.#records(of))
      .flatMap((record) => this.vendor.transcript?.read(record, { nested: false }) ?? [])
      .flatMap((patch) => (patch.type === 'item' ? [patch.item] : []));
  }

  /** The pictures of the person's messages, in order, as the record holds them. */
  async images(of: Running): Promise<RecordedImage[]> {
    return (await this.#records(of)).flatMap((record) => this.vendor.transcript?.images(record) ?? []);
  }

  async #records({ plan, input }: Running): Promise<unknown[]> {
    const path =
      plan.vendorSession === null
        ? null
        : await this.vendor.transcript?.locate({ ...input, vendorSession: plan.vendorSession, agent: null });
    return path
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown)
      : [];
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.repo, name), text);
  }
  read(name: string): string | null {
    const path = join(this.repo, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  }

  async dispose(): Promise<void> {
    for (const { run } of this.#running) await run.close();
    await this.#sockets.closeAll();
    await this.#host.dispose();
    this.#model?.stop();
  }
}
