/*
 * Who may import whom, and the limits that hold everywhere. ARCHITECTURE.md says it in words; this table is the law.
 * `judge.ts` holds a tree of sources against it, `architecture.test.ts` does so with ours. Nothing of the product may
 * import this folder.
 */

export interface Layer {
  name: string;
  /** Modules of this layer: a folder, `folder/*` for each folder in it, or one file. The first fitting layer wins. */
  modules: readonly string[];
  /** Layers, or single modules, that it may import besides itself. */
  may: readonly string[];
  /** Of these it may import types, never values. */
  types?: readonly string[];
  /** True: modules of this layer may import each other. */
  peers?: true;
  /** The files that others may import, relative to the module. Default: index.ts. */
  doors?: readonly string[];
  /** Packages (and `node:`) it may import; default: any. */
  packages?: readonly string[];
  why: string;
}

export interface Exemption {
  path: string;
  rule: string;
  reason: string;
  date: string;
}

export interface Rules {
  layers: readonly Layer[];
  /** The only files that may import `db`. */
  database: readonly RegExp[];
  maxLines: number;
  maxFanOut: number;
  wideFanOut: readonly string[];
  vendorNames: readonly string[];
  mayNameVendors: readonly string[];
  /** Programs of their own that run outside the host, and so have no platform to go through. */
  programs: readonly string[];
  /** Packages that only the given folders may import. */
  guardedPackages: Readonly<Record<string, readonly string[]>>;
  exemptions: readonly Exemption[];
}

const CAPABILITIES = [
  'accounts',
  'auth',
  'browser',
  'control',
  'dictation',
  'files',
  'git',
  'memory',
  'notify',
  'preflight',
  'terminal',
  'tmux',
  'transcript',
].map((name) => `server/${name}`);

const WORKFLOWS = [
  'actions',
  'board',
  'chat',
  'messages',
  'needs',
  'projects',
  'review',
  'sessions',
  'worktrees',
].map((name) => `server/${name}`);

const LAYERS: readonly Layer[] = [
  {
    name: 'contract',
    modules: ['server/contract'],
    may: [],
    packages: ['zod'],
    why: 'the contract is compiled for both the host and the browser, so it may need neither',
  },
  {
    name: 'platform',
    modules: ['server/platform'],
    may: ['contract'],
    why: 'our face to the operating system knows nothing of what uses it',
  },
  {
    name: 'db',
    modules: ['db'],
    may: ['contract', 'platform'],
    doors: ['client.ts', 'schema/*'],
    why: 'the database knows tables, not their meaning',
  },
  {
    name: 'log',
    modules: ['server/log'],
    may: ['contract', 'platform', 'db'],
    why: 'the log knows no event by name',
  },
  {
    name: 'port',
    modules: ['server/agents/port.ts'],
    may: ['contract'],
    why: 'the port is all that a vendor must be, and only that',
  },
  {
    name: 'registry',
    modules: ['server/agents/registry.ts'],
    may: ['contract', 'port', 'vendor'],
    why: 'it is the one list of vendors',
  },
  {
    name: 'vendor',
    modules: ['server/agents/*'],
    may: ['contract', 'platform', 'port'],
    why: 'a vendor is one folder that sees the port; vendors never share code with each other',
  },
  {
    name: 'capability',
    modules: CAPABILITIES,
    may: ['contract', 'platform', 'db'],
    why: 'capabilities never import each other: what needs two of them is a workflow',
  },
  {
    name: 'workflow',
    modules: WORKFLOWS,
    may: ['contract', 'platform', 'db', 'log', 'port', 'capability'],
    why: 'workflows meet through events and through what main.ts hands them, never by import',
  },
  {
    name: 'api',
    modules: ['server/api'],
    may: ['contract', 'platform', 'capability', 'workflow'],
    doors: ['index.ts', 'router.ts', 'services.ts'],
    why: 'the API parses, calls and replies; it holds no logic and no storage',
  },
  {
    name: 'demo',
    modules: ['server/demo'],
    may: ['contract', 'platform'],
    types: ['api'],
    why: 'the demo is a user of the API like any other',
  },
  {
    name: 'cli',
    modules: ['server/cli'],
    may: ['contract', 'platform', 'server/preflight'],
    why: 'the command speaks to the running host over its socket and shares no state with it',
  },
  {
    name: 'main',
    modules: ['server/main.ts'],
    may: [
      'contract',
      'platform',
      'db',
      'log',
      'port',
      'registry',
      'vendor',
      'capability',
      'workflow',
      'api',
      'demo',
    ],
    why: 'it constructs everything and decides nothing',
  },
  {
    name: 'architecture',
    modules: ['server/architecture'],
    may: [],
    why: 'the judge depends on nothing it judges',
  },
  {
    name: 'ui',
    modules: ['app/_ui'],
    may: ['contract'],
    doors: ['*'],
    why: 'dumb parts know no data and no server',
  },
  {
    name: 'client',
    modules: ['app/_client'],
    may: ['contract'],
    types: ['api'],
    doors: ['*'],
    why: 'the browser reaches the host through its sockets only',
  },
  {
    name: 'feature',
    modules: ['app/_features/*'],
    may: ['contract', 'ui', 'client'],
    types: ['api'],
    peers: true,
    why: 'screens reach the server through the API; a server module in the browser would be a second copy of it',
  },
  {
    name: 'app',
    modules: ['app'],
    may: ['contract', 'ui', 'client', 'feature'],
    types: ['api'],
    why: 'a route puts features on a page',
  },
];

export const RULES: Rules = {
  layers: LAYERS,
  database: [/(^|\/)store\.ts$/, /^server\/log\//, /^server\/main\.ts$/, /^db\//],
  maxLines: 500,
  maxFanOut: 25,
  wideFanOut: ['server/main.ts', 'server/agents/registry.ts'],
  // Every folder under server/agents adds its own name.
  vendorNames: ['claude', 'codex'],
  mayNameVendors: [
    'server/agents/registry.ts',
    'server/architecture/rules.ts',
    'server/preflight/',
    'app/head-data.ts',
  ],
  programs: ['server/cli/hook.ts', 'server/agents/scripted/agent.ts'],
  guardedPackages: {
    child_process: ['server/platform/'],
    'node-pty': ['server/platform/', 'server/terminal/'],
    'better-sqlite3': ['db/'],
  },
  exemptions: [],
};
