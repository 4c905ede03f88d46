import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathsFor } from '../platform';
import { type HostFacts, hostChecks } from './host-checks';

let home: string;
let facts: HostFacts;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'od-hc-'));
  const paths = pathsFor(home);
  mkdirSync(paths.runtime, { mode: 0o700 });
  for (const file of [paths.db, paths.controlSocket]) writeFileSync(file, '', { mode: 0o600 });
  facts = {
    addresses: ['127.0.0.1:7433', '[::1]:7433'],
    note: null,
    paths,
    sqlite: { version: '3.53.0', journal: 'wal' },
    tmux: { program: '/usr/bin/tmux', alive: true, version: '3.3a' },
  };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const bad = (given: Partial<HostFacts> = {}) =>
  hostChecks({ ...facts, ...given })
    .filter((check) => !check.ok)
    .map((check) => [check.id, check.detail]);

describe('what doctor says of the host that runs', () => {
  it('finds nothing wrong with a sound one, and shows where tmux is', () => {
    expect(bad()).toEqual([]);
    expect(hostChecks(facts).at(-1)?.detail).toContain(`-S ${facts.paths.tmuxSocket} attach`);
  });

  it('names an address that others reach, an open file, a missing one, a wrong journal and a dead server', () => {
    expect(bad({ addresses: ['127.0.0.1:7433', '0.0.0.0:7433'] })[0]?.[0]).toBe('bind');
    expect(bad({ addresses: [] })[0]?.[0]).toBe('bind');
    chmodSync(facts.paths.db, 0o640);
    rmSync(facts.paths.controlSocket);
    expect(bad()).toEqual([['modes', `${facts.paths.db} is 640, ${facts.paths.controlSocket} is not there`]]);
    chmodSync(facts.paths.db, 0o600);
    writeFileSync(facts.paths.controlSocket, '', { mode: 0o600 });
    expect(bad({ sqlite: { version: '3.53.0', journal: 'delete' } })[0]?.[0]).toBe('sqlite');
    expect(bad({ tmux: { program: 'tmux', alive: false, version: null } })[0]?.[0]).toBe('tmux-server');
  });
});
