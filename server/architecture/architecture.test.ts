import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blindMatchers } from './blind-matchers';
import { judge, type SourceFile } from './judge';
import { RULES, type Rules } from './rules';

const root = join(import.meta.dirname, '..', '..');

/** Tests and their kits may reach anywhere. */
const isTestOnly = (path: string) =>
  /\.(test|fake)\.tsx?$|\/__fixtures__\/|\/(conformance|testing)\.ts$/.test(path);

function readTree(): SourceFile[] {
  const files: SourceFile[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (/\.tsx?$/.test(entry.name) && !isTestOnly(path))
        files.push({ path, text: readFileSync(join(root, path), 'utf8') });
    }
  };
  for (const folder of ['app', 'server', 'db']) walk(folder);
  return files;
}

describe('the tree', () => {
  const files = readTree();

  it('keeps every rule', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(judge(files).map((one) => `${one.path} [${one.rule}] ${one.message}`)).toEqual([]);
  });

  it('holds most of its code in small files', () => {
    const sizes = files.map((file) => file.text.split('\n').length);
    const large = sizes.filter((lines) => lines > 300).reduce((sum, lines) => sum + lines, 0);
    expect(large / sizes.reduce((sum, lines) => sum + lines, 0)).toBeLessThan(0.4);
  });

  it('gives every module a door with a head comment', () => {
    const doors = files.filter((file) => /^server\/[^/]+\/index\.ts$/.test(file.path));
    expect(doors.filter((door) => !door.text.startsWith('/**')).map((door) => door.path)).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names only paths that exist', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const named = [...text.matchAll(/`([\w.@-]+(?:\/[\w.@*<>-]*)+)`|\]\((?!https?:)([^)#]+)\)/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    );
    const paths = named.filter((name) => !/[*<>]/.test(name));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the tests', () => {
  const tests = ['app', 'server', 'db', 'e2e', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(test|spec)\.tsx?$/.test(path) && !path.includes('node_modules'))
      .map((path) => `${folder}/${path}`),
  );

  it('compare with no regular expression by equality, which nothing can fail', () => {
    expect(tests.length).toBeGreaterThan(50);
    const blind = tests.flatMap((path) =>
      blindMatchers(path, readFileSync(join(root, path), 'utf8')).map((line) => `${path}:${line}`),
    );
    expect(blind).toEqual([]);
  });

  it('would be told of one', () => {
    const found = (text: string) => blindMatchers('a.test.ts', text);
    expect(found('expect(a).rejects.toMatchObject({\n  message: /x/,\n});')).toEqual([2]);
    expect(found('expect(a).toEqual([expect.objectContaining({ b: [/x/] })]);')).toEqual([1]);
    expect(found('expect(a).toEqual({ b: expect.stringMatching(/x/) }); expect(a).toMatch(/x/);')).toEqual(
      [],
    );
    expect(found('expect(a.filter((b) => /x/.test(b))).toEqual([pick(/x/)]);')).toEqual([]);
  });
});

/** Each rule has a tree that breaks it and nothing else. */
describe('the judge', () => {
  const tree = (files: Record<string, string>): SourceFile[] =>
    Object.entries(files).map(([path, text]) => ({ path, text }));
  const rulesBroken = (files: Record<string, string>, rules: Rules = RULES) => [
    ...new Set(judge(tree(files), rules).map((one) => one.rule)),
  ];
  const doors = {
    'server/contract/index.ts': 'export const a = 1;\n',
    'server/platform/index.ts': "import { a } from '../contract';\nexport const run = a;\n",
    'server/git/index.ts': 'export const git = 1;\n',
    'server/tmux/index.ts': 'export const tmux = 1;\n',
    'server/sessions/index.ts': 'export const sessions = 1;\n',
    'server/needs/index.ts': 'export const needs = 1;\n',
    'server/log/index.ts': 'export const log = 1;\n',
    'server/api/router.ts': 'export type Router = 1;\nexport const router = 1;\n',
    'server/agents/port.ts': 'export interface AgentVendor { a: 1 }\n',
    'server/agents/scripted/index.ts': 'export const scripted = 1;\n',
    'db/client.ts': 'export const db = 1;\n',
    'app/_features/board/index.ts': 'export const Board = 1;\n',
    'app/_features/board/card.ts': 'export const card = 1;\n',
    'app/_ui/button.tsx': 'export const Button = () => <b>ok</b>;\n',
  };
  const with_ = (path: string, text: string) => ({ ...doors, [path]: text });

  it('is content with a good tree', () => {
    expect(judge(tree(doors))).toEqual([]);
    const good: [string, string][] = [
      [
        'server/sessions/sessions.ts',
        "import { git } from '../git';\nimport type { AgentVendor } from '../agents/port';\n",
      ],
      ['server/sessions/store.ts', "import { db } from '../../db/client';\n"],
      ['server/main.ts', "import { db } from '../db/client';\nimport { git } from './git';\n"],
      [
        'server/agents/registry.ts',
        "import { scripted } from './scripted';\nexport const codex = 'Claude Code';\n",
      ],
      [
        'app/page.tsx',
        "import { Board } from './_features/board';\nimport type { Router } from '../server/api/router';\n",
      ],
      [
        'app/_features/chat/chat.tsx',
        "import { Button } from '../../_ui/button';\nimport { a } from '@/server/contract';\nexport const now = Date.now();\n",
      ],
      [
        'server/git/runner.ts',
        '// Claude Code, child_process and Date.now in a comment are free.\nexport const x = new Date(5);\n',
      ],
    ];
    for (const [path, text] of good) expect(judge(tree(with_(path, text)))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['arrow', 'server/contract/session.ts', "import { run } from '../platform';\n"],
    ['arrow', 'server/platform/paths.ts', "import { git } from '../git';\n"],
    ['arrow', 'server/git/runner.ts', "import { log } from '../log';\n"],
    ['arrow', 'server/git/runner.ts', "export { sessions } from '../sessions';\n"],
    ['arrow', 'server/git/runner.ts', "const x = await import('../sessions');\n"],
    ['arrow', 'server/git/runner.ts', "const x = require('../sessions');\n"],
    ['arrow', 'server/git/runner.ts', "export type X = import('../sessions').Y;\n"],
    ['arrow', 'server/git/runner.ts', "import type { AgentVendor } from '../agents/port';\n"],
    ['arrow', 'server/log/log.ts', "import { sessions } from '../sessions';\n"],
    ['arrow', 'server/agents/grok/index.ts', "import { tmux } from '../../tmux';\n"],
    ['arrow', 'server/cli/main.ts', "import { sessions } from '../sessions';\n"],
    ['arrow', 'server/cli/main.ts', "import { git } from '../git';\n"],
    ['arrow', 'app/page.tsx', "import { git } from '../server/git';\n"],
    ['arrow', 'app/_features/chat/x.ts', "import { git } from '@/server/git';\n"],
    ['arrow', 'app/_ui/x.ts', "import { Board } from '../_features/board';\n"],
    ['peer', 'server/git/runner.ts', "import { tmux } from '../tmux';\n"],
    ['peer', 'server/sessions/x.ts', "import { needs } from '../needs';\n"],
    ['peer', 'server/sessions/x.ts', "import type { needs } from '../needs';\n"],
    ['peer', 'server/agents/grok/index.ts', "import { scripted } from '../scripted';\n"],
    ['types-only', 'app/_client/trpc.ts', "import { router } from '../../server/api/router';\n"],
    ['types-only', 'app/_client/trpc.ts', "import { type Router, router } from '../../server/api/router';\n"],
    ['types-only', 'app/_client/trpc.ts', "import '../../server/api/router';\n"],
    ['door', 'app/_features/chat/x.ts', "import { card } from '../board/card';\n"],
    ['database', 'server/sessions/sessions.ts', "import type { Db } from '../../db/client';\n"],
    ['database', 'server/git/restore.ts', "import { db } from '../../db/client';\n"],
    ['star', 'server/git/runner.ts', "export * from './index';\n"],
    ['star', 'server/git/runner.ts', "export * as git from './index';\n"],
    ['unknown', 'server/brand-new/index.ts', 'export const x = 1;\n'],
    ['size', 'server/git/runner.ts', 'export {};\n'.repeat(501)],
    ['name', 'server/git/utils.ts', 'export {};\n'],
    ['name', 'server/git/gitRunner.ts', 'export {};\n'],
    ['vendor-name', 'server/git/runner.ts', 'export const claudeHome = 1;\n'],
    ['vendor-name', 'server/git/runner.ts', "export const x = '~/.codex/auth';\n"],
    ['vendor-name', 'server/git/runner.ts', 'export const x = `CODEX_HOME=$' + '{1}`;\n'],
    ['vendor-name', 'app/page.tsx', 'export const Page = () => <p>Start Claude</p>;\n'],
    ['vendor-name', 'server/agents/codex/index.ts', "export const rival = 'claude';\n"],
    ['machine', 'server/git/runner.ts', "import { spawn } from 'node:child_process';\n"],
    ['machine', 'server/git/runner.ts', "const { spawn } = await import('child_process');\n"],
    ['machine', 'server/tmux/pane.ts', "import { spawn } from 'node-pty';\n"],
    ['machine', 'server/needs/store.ts', "import Database from 'better-sqlite3';\n"],
    ['machine', 'server/git/runner.ts', 'export const x = process.env.HOME;\n'],
    ['machine', 'server/git/runner.ts', "export const x = process['env'];\n"],
    ['machine', 'server/git/runner.ts', 'export const { env } = process;\n'],
    ['machine', 'server/git/runner.ts', 'export const x = Date.now();\n'],
    ['machine', 'server/git/runner.ts', 'export const x = [1].map(Date.now);\n'],
    ['machine', 'server/git/runner.ts', 'export const x = new Date();\n'],
    ['package', 'server/contract/ids.ts', "import { randomBytes } from 'node:crypto';\n"],
    ['syntax', 'server/git/runner.ts', 'export const x = {;\n'],
    ['package', 'app/_client/x.ts', "import { join } from 'node:path';\n"],
  ])('%s: %s', (rule, path, text) => {
    expect(rulesBroken(with_(path, text))).toEqual([rule]);
  });

  it('door: an inner file of another module', () => {
    expect(
      rulesBroken({
        ...with_('server/sessions/x.ts', "import { r } from '../git/runner';\n"),
        'server/git/runner.ts': 'export const r = 1;\n',
      }),
    ).toEqual(['door']);
  });

  it('cycle: values that import each other, but not types', () => {
    const one = "import { b } from './two';\nexport const a = () => b;\n";
    const cycle = {
      'server/git/one.ts': one,
      'server/git/two.ts': "export { c as b } from './three';\n",
      'server/git/three.ts': "import { a } from './one';\nexport const c = a;\n",
    };
    expect(rulesBroken({ ...doors, ...cycle })).toEqual(['cycle']);
    const types = {
      ...cycle,
      'server/git/three.ts': "import type { a } from './one';\nexport const c = 1;\n",
    };
    expect(rulesBroken({ ...doors, ...types })).toEqual([]);
  });

  it('fan-out: more value imports than one file can hold together', () => {
    const text = (kind: string) =>
      Array.from({ length: 26 }, (_, i) => `import ${kind} { x as x${i} } from 'package-${i}';\n`).join('');
    expect(rulesBroken(with_('server/git/runner.ts', text('')))).toEqual(['fan-out']);
    expect(rulesBroken(with_('server/git/runner.ts', text('type')))).toEqual([]);
    expect(rulesBroken(with_('server/main.ts', text('')))).toEqual([]);
  });

  it('vendor-name: a new folder guards its own name at once', () => {
    const files = with_('server/git/runner.ts', "export const x = 'Grok';\n");
    expect(rulesBroken(files)).toEqual([]);
    expect(rulesBroken({ ...files, 'server/agents/grok/index.ts': "export const grok = 'grok';\n" })).toEqual(
      ['vendor-name'],
    );
  });

  it('exemption: excuses what it names, with a reason, and only while needed', () => {
    const files = with_('server/git/utils.ts', 'export {};\n');
    const exempt = (change: object): Rules => ({
      ...RULES,
      exemptions: [
        {
          path: 'server/git/utils.ts',
          rule: 'name',
          reason: 'a reason in words',
          date: '2026-12-01',
          ...change,
        },
      ],
    });
    expect(rulesBroken(files, exempt({}))).toEqual([]);
    expect(rulesBroken(files, exempt({ reason: '' }))).toEqual(['exemption']);
    expect(rulesBroken(files, exempt({ date: 'soon' }))).toEqual(['exemption']);
    expect(rulesBroken(doors, exempt({}))).toEqual(['exemption']);
    expect(rulesBroken(files, exempt({ rule: 'size' }))).toEqual(['name', 'exemption']);
  });
});
