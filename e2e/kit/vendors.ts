import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, ROOT, until } from './host';

const VENDORS = join(ROOT, 'e2e', 'vendors', 'node_modules');
const NATIVE = {
  claude: join(VENDORS, '@anthropic-ai', `claude-code-linux-${process.arch}`, 'claude'),
  codex: join(
    VENDORS,
    '@openai',
    `codex-linux-${process.arch}`,
    'vendor',
    `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-musl`,
    'bin',
    'codex',
  ),
} as const;

/** A folder for PATH that holds just this CLI, by its usual name. Throws when it is not installed. */
export function vendorBin(name: keyof typeof NATIVE, root: string): string {
  const target = NATIVE[name];
  if (!existsSync(target)) throw new Error(`${name} is not installed: npm ci --prefix e2e/vendors`);
  const bin = join(root, `bin-${name}`);
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, name))) symlinkSync(target, join(bin, name));
  return bin;
}

/** A loopback model server, one process; `requests` are the bodies it was sent. */
export class FakeModel {
  #child: ChildProcess | null = null;
  url = '';

  constructor(
    readonly program: 'anthropic.mjs' | 'openai.mjs',
    readonly logFile: string,
  ) {}

  async start(): Promise<this> {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    this.#child = spawn(
      process.execPath,
      [join(ROOT, 'e2e', 'fake-models', this.program), '--port', String(port), '--log', this.logFile],
      { stdio: 'ignore' },
    );
    await until(
      'the model server listens',
      async () => (await fetch(this.url, { method: 'HEAD' })).status > 0,
    );
    return this;
  }

  /** Everything the CLI said to the model, as text. */
  log(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
  }
}

/** Environment and configuration for Claude Code against the fake: onboarded, `repo` trusted, no login. */
export function claudeEnv(root: string, repo: string, model: FakeModel): Record<string, string> {
  const config = join(root, 'claude');
  mkdirSync(config, { recursive: true });
  writeFileSync(
    join(config, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      officialMarketplaceAutoInstallAttempted: true,
      officialMarketplaceAutoInstalled: true,
      projects: { [repo]: { hasTrustDialogAccepted: true, projectOnboardingSeenCount: 5 } },
    }),
  );
  return {
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: model.url,
    CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-not-a-real-token-0000000000',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
  };
}

/** Environment and configuration for Codex against the fake: a provider with a key from the environment. */
export function codexEnv(root: string, model: FakeModel): Record<string, string> {
  const home = join(root, 'codex');
  const tmp = join(root, 'tmp');
  mkdirSync(home, { recursive: true });
  mkdirSync(tmp, { recursive: true });
  writeFileSync(
    join(home, 'config.toml'),
    [
      'model = "gpt-5.5"',
      'model_provider = "fake"',
      'check_for_update_on_startup = false',
      '[model_providers.fake]',
      'name = "Fake"',
      `base_url = "${model.url}/v1"`,
      'wire_api = "responses"',
      'env_key = "FAKE_KEY"',
      '[notice.model_migrations]',
      '',
    ].join('\n'),
  );
  return { CODEX_HOME: home, TMPDIR: tmp, FAKE_KEY: 'sk-fake-key-000000000000' };
}
