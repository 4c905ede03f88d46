import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client';
import { scripted } from '../agents/scripted';
import { ProjectId, type Session, type StartSession, WorktreeId } from '../contract';
import { createSessionSockets } from '../control';
import { createLog } from '../log';
import { createNeeds, needReader, needsProjection } from '../needs';
import { findProgram, pathsFor, privateFolder, silentJournal, systemClock } from '../platform';
import { createTmux } from '../tmux';
import { createSessions, sessionReader, sessionsProjection } from './index';

const PATH = process.env.PATH ?? '';
let program: string;
let bundleDir: string;
beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'od-agent-'));
  program = join(bundleDir, 'agent.mjs');
  await build({
    entryPoints: ['server/agents/scripted/agent.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
});
afterAll(() => rmSync(bundleDir, { recursive: true, force: true }));

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'od-s-'));
});

/** A host without its network side, on real tmux; `again` is the same state folder after the process died. */
function host() {
  const paths = pathsFor(join(root, 'state'));
  privateFolder(paths.home);
  privateFolder(paths.runtime);
  const db = openDatabase({ file: paths.db, migrations: 'db/migrations', backups: null, now: Date.now });
  const log = createLog({ db, now: Date.now, projections: [sessionsProjection, needsProjection] });
  const reader = sessionReader(db);
  const needRead = needReader(db);
  const tmux = createTmux({
    tmux: findProgram('tmux', PATH) ?? 'tmux',
    paths,
    toolEnv: { PATH, HOME: root },
    journal: silentJournal,
  });
  const sockets = createSessionSockets({ paths, journal: silentJournal });
  const needs = createNeeds({
    log,
    reader: needRead,
    clock: systemClock,
    journal: silentJournal,
    crash: () => {},
    cwdOf: () => root,
    verify: () => 'Desk',
    deliver: (...args) => sessions.deliver(...args),
  });
  const sessions = createSessions({
    log,
    reader,
    // Never answers when asked about itself, as a CLI that waits for a network: no start may depend on that.
    vendors: [{ ...scripted({ node: process.execPath, program }), detect: () => new Promise(() => {}) }],
    vendorEnv: { path: PATH, userHome: root, env: { PATH, HOME: root }, toolEnv: { PATH, HOME: root } },
    panes: tmux,
    hooks: sockets,
    services: { ensure: (name, spec) => tmux.services.ensure(name, spec), runtimeDir: paths.runtime },
    paths,
    clock: systemClock,
    journal: silentJournal,
    crash: () => {},
    shell: '/bin/sh',
    hookCommand: () => 'true',
    prepare: async () => ({
      id: WorktreeId.parse('worktreeaaaa'),
      projectId: ProjectId.parse('projectaaaaa'),
      path: root,
      branch: 'b',
      base: 'main',
      baseCommit: null,
      kind: 'ours',
      created: 0,
    }),
    trustedRoot: () => null,
    onNeed: (id, event) => (event.type === 'asked' ? needs.asked(id, event) : needs.settled(id, event)),
    onLive: () => {},
    onPanes: () => {},
  });
  return {
    sessions,
    reader,
    needs,
    needRead,
    tmux,
    log,
    killServer: async () => {
      const row = (await tmux.list())?.[0];
      const { pid } = await tmux.probe();
      if (row && pid) process.kill(pid, 'SIGKILL');
    },
    /** As SIGKILL would leave it: nothing is told to anybody, only descriptors close. */
    die: async () => {
      needs.close();
      await sessions.close();
      db.$client.close();
    },
  };
}
type Host = ReturnType<typeof host>;
let current: Host | null = null;
const up = (): Host => {
  current = host();
  return current;
};
afterEach(async () => {
  const { pid } = (await current?.tmux.probe()) ?? { pid: null };
  await current?.die();
  current = null;
  if (pid) process.kill(pid, 'SIGTERM');
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

const order = (prompt: string, vendor = 'scripted'): StartSession => ({
  vendor,
  projectId: ProjectId.parse('projectaaaaa'),
  workplace: { type: 'main' },
  mode: 'build',
  permission: 'ask',
  prompt,
});
const state = (h: Host, session: Session) =>
  expect.poll(() => h.reader.get(session.id)?.state, { timeout: 20_000 });

describe('sessions on real tmux', () => {
  it('run a script to its end, noting what it says', async () => {
    const h = up();
    await h.sessions.reconcile();
    const session = await h.sessions.start(
      order('context 40\nrecap All good.\nrun echo hi > out.txt\nsay bye'),
    );
    await state(h, session).toBe('finished');
    await expect.poll(() => h.reader.get(session.id)?.recap).toBe('All good.');
    expect(h.reader.get(session.id)?.contextPct).toBe(40);
    expect(readFileSync(join(root, 'out.txt'), 'utf8')).toBe('hi\n');
    h.sessions.seen(session.id);
    expect(h.reader.get(session.id)?.state).toBe('idle');
  });

  it('start with no permission mode that the vendor does not name: it would be an argument of the CLI', async () => {
    const h = up();
    await h.sessions.reconcile();
    for (const permission of ['--help', 'bypassPermissions', '']) {
      await expect(h.sessions.start({ ...order('say x'), permission })).rejects.toMatchObject({
        code: 'bad-input',
        message: expect.stringContaining(`“${permission}”`),
      });
    }
    expect(h.reader.all()).toEqual([]);
  });

  it('keep an approval over the death of the host, and the command runs once', async () => {
    const first = up();
    await first.sessions.reconcile();
    const session = await first.sessions.start(order('ask echo ran >> out.txt'));
    await expect.poll(() => first.needRead.open().length, { timeout: 20_000 }).toBe(1);
    await state(first, session).toBe('needs-you');
    await first.die();
    const second = up();
    second.needs.reconcile();
    await second.sessions.reconcile();
    const need = second.needRead.open()[0];
    if (!need) throw new Error('the need is gone');
    // Answered at once: if the agent has not reconnected yet, the answer is kept and delivered when it does.
    await second.needs.answer('deskaaaaaaaa' as never, {
      needId: need.id,
      digest: need.digest,
      decision: 'allow',
      nonce: 'x'.repeat(20),
      time: 0,
      sig: 's',
    });
    await state(second, session).toBe('finished');
    await expect.poll(() => second.needRead.get(need.id)?.state, { timeout: 20_000 }).toBe('confirmed');
    expect(readFileSync(join(root, 'out.txt'), 'utf8')).toBe('ran\n');
  });

  it('are ended and resumable when the tmux server dies, re-running nothing; resumed once with the same id', async () => {
    const h = up();
    await h.sessions.reconcile();
    const session = await h.sessions.start(order('run echo ran >> out.txt\nthink 60000'));
    await state(h, session).toBe('working');
    await expect.poll(() => readFileSync(join(root, 'out.txt'), 'utf8'), { timeout: 20_000 }).toBe('ran\n');
    await h.killServer();
    await state(h, session).toBe('exited');
    expect(h.reader.get(session.id)).toMatchObject({
      resumable: true,
      reason: 'The terminal server stopped.',
    });
    const conversation = h.reader.get(session.id)?.vendorSession;
    const resumed = await Promise.allSettled([h.sessions.resume(session.id), h.sessions.resume(session.id)]);
    expect(resumed.map((r) => r.status).sort()).toEqual(['fulfilled', 'rejected']);
    await state(h, session).toBe('idle');
    expect(h.reader.get(session.id)?.vendorSession).toBe(conversation);
    expect((await h.tmux.list())?.filter((row) => row.sid === session.id)).toHaveLength(1);
    expect(readFileSync(join(root, 'out.txt'), 'utf8')).toBe('ran\n');
  });

  it('keep the exit code and say so when the CLI exits at once', async () => {
    const h = up();
    await h.sessions.reconcile();
    const session = await h.sessions.start(order('exit 7'));
    await state(h, session).toBe('exited');
    expect(h.reader.get(session.id)).toMatchObject({
      exitCode: 7,
      reason: 'The CLI ended with exit code 7.',
    });
  });

  it('start a launch that was recorded but not performed, once', async () => {
    const first = up();
    const now = Date.now();
    const session = { ...(await first.sessions.start(order(''))), pane: null, state: 'starting' as const };
    // A second session whose host died between the record and the pane.
    const lost = {
      ...session,
      id: 'lostsessionaaa' as never,
      prompt: 'run echo x >> lost.txt',
      created: now,
    };
    first.log.commit([{ type: 'session.started', session: lost }], {
      effects: [
        {
          kind: 'session.launch',
          key: 'launch-lost',
          body: { sessionId: lost.id, cols: 80, rows: 24, resume: null },
        },
      ],
    });
    await first.die();
    const second = up();
    await second.sessions.reconcile();
    await state(second, lost).toBe('finished');
    expect(readFileSync(join(root, 'lost.txt'), 'utf8')).toBe('x\n');
    expect(second.log.effects('session.launch')).toEqual([]);
  });

  it('run the user’s shell as a terminal, with the variables of a session', async () => {
    const h = up();
    await h.sessions.reconcile();
    const session = await h.sessions.start(order('', 'terminal'));
    await state(h, session).toBe('idle');
    const pane = h.tmux.access(h.reader.get(session.id)?.pane ?? '');
    await pane.paste(
      'echo "$OFFDECK_SESSION_ID|$OFFDECK_TOOL|$OFFDECK_SESSION_KIND|$OFFDECK_WORKSPACE_ID|$TMUX" > env.txt',
    );
    await pane.key('Enter');
    const file = join(root, 'env.txt');
    await expect
      .poll(() => readFileSync(file, 'utf8'), { timeout: 20_000 })
      .toBe(`${session.id}|terminal|terminal|${root}|\n`);
    await h.sessions.end(session.id);
    expect(h.reader.get(session.id)?.state).toBe('exited');
  });
});
