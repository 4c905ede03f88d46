import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase, sqliteFacts } from '../db/client';
import type { VendorEnv } from './agents/port';
import { createVendors } from './agents/registry';
import { createDevHandler, createHttpServer, loadShell, type Services } from './api';
import { createAuth } from './auth';
import { createBoard } from './board';
import { createChat } from './chat';
import { AppError, type HostReport, type HostStatus, type ProjectId } from './contract';
import { createControlSocket, createSessionSockets } from './control';
import { clearDemo, startDemo } from './demo';
import { createFileSearch } from './files';
import { createGit } from './git';
import { createLog } from './log';
import { createImages, createMessages, messageReader, messagesProjection } from './messages';
import { createNeeds, needReader, needsProjection } from './needs';
import {
  type Config,
  crashPoint,
  demoFolderOf,
  demoHomeOf,
  findProgram,
  openUrl,
  pathsFor,
  privateFolder,
  readConfig,
  stderrJournal,
  systemClock,
  VERSION,
} from './platform';
import { hostChecks, preflightHere } from './preflight';
import { createProjects, projectReader, projectsProjection } from './projects';
import { createSessions, sessionReader, sessionsProjection } from './sessions';
import { createTerminal } from './terminal';
import { createTmux } from './tmux';

/** Where the build put things, relative to this bundle (dist/main.mjs). */
const DIST = dirname(fileURLToPath(import.meta.url));

export interface RunningHost {
  url: string;
  /** Leaves every agent running. */
  stop(): Promise<void>;
}

/** Quotes for a POSIX shell: hook commands are run by the vendors' CLIs through one. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Runs the host in this process until `stop`. Throws AppError when it cannot start. */
export async function startHost(options: { demo: boolean; open: boolean }): Promise<RunningHost> {
  process.umask(0o077);
  const base = readConfig();
  // The demo is throw-away as a whole: state folder, repositories and tmux server.
  const demoFolder = options.demo ? demoFolderOf(base.home) : null;
  if (demoFolder) privateFolder(demoFolder);
  const config: Config = demoFolder ? { ...base, home: demoHomeOf(base.home) } : base;
  const paths = pathsFor(config.home);
  const journal = stderrJournal;
  const clock = systemClock;
  const crash = crashPoint(config);
  privateFolder(paths.home);
  privateFolder(paths.runtime);

  const control = await createControlSocket({ path: paths.controlSocket, journal });
  const tmuxProgram = needed('tmux', config);
  const gitProgram = findProgram('git', config.path);
  const tmux = createTmux({ tmux: tmuxProgram, paths, toolEnv: config.toolEnv, journal });
  const emptyDemo = async (folder: string) => clearDemo(folder, paths.runtime, (await tmux.probe()).pid);
  if (demoFolder) await emptyDemo(demoFolder);

  const db = openDatabase({
    file: paths.db,
    migrations: join(DIST, 'migrations'),
    backups: paths.backups,
    now: clock.now,
  });
  const log = createLog({
    db,
    now: clock.now,
    projections: [projectsProjection, sessionsProjection, needsProjection, messagesProjection],
  });
  const readers = {
    sessions: sessionReader(db),
    needs: needReader(db),
    messages: messageReader(db),
    projects: projectReader(db),
  };
  const auth = createAuth({ db, clock });
  const terminal = createTerminal({
    tmux: tmuxProgram,
    socket: paths.tmuxSocket,
    workerFile: join(DIST, 'terminal-worker.mjs'),
    env: config.toolEnv,
    journal,
  });
  const vendors = createVendors({
    scripted: { node: process.execPath, program: join(DIST, 'scripted-agent.mjs') },
  }).filter((vendor) => !vendor.manifest.hidden || options.demo || config.scripted);
  const vendorEnv: VendorEnv = {
    path: config.path,
    userHome: config.userHome,
    env: config.sessionEnv,
    toolEnv: config.toolEnv,
  };
  const git = createGit({ program: gitProgram, env: config.toolEnv });
  const projects = createProjects({
    reader: readers.projects,
    commit: log.commit,
    git,
    clock,
    stateHome: config.home,
    userHome: config.userHome,
  });

  const needs = createNeeds({
    log,
    reader: readers.needs,
    clock,
    journal,
    crash,
    cwdOf: (id) => readers.sessions.get(id)?.cwd ?? '/',
    verify: (answer) => auth.verifyAnswer(answer),
    deliver: (...args) => sessions.deliver(...args),
  });
  const sessions = createSessions({
    log,
    reader: readers.sessions,
    vendors,
    vendorEnv,
    panes: tmux,
    hooks: createSessionSockets({ paths, journal }),
    services: { ensure: (name, spec) => tmux.services.ensure(name, spec), runtimeDir: paths.runtime },
    paths,
    clock,
    journal,
    crash,
    shell: config.shell,
    hookCommand: (dir, event) => [process.execPath, join(DIST, 'hook.mjs'), dir, event].map(quote).join(' '),
    prepare: (id, choice) => projects.prepare(id as ProjectId, choice),
    trustedRoot: (id) => projects.trustedRoot(id as ProjectId),
    onNeed: (id, event) => (event.type === 'asked' ? needs.asked(id, event) : needs.settled(id, event)),
    onLive: (id, live) => chat.live(id, live),
    onPanes: (panes) => terminal.setPanes(panes),
  });
  const images = createImages({ paths, clock, known: (id) => readers.sessions.get(id) !== null });
  const chat = createChat({ session: readers.sessions.get, vendors, vendorEnv, paths, images });
  const messages = createMessages({
    log,
    reader: readers.messages,
    clock,
    journal,
    crash,
    session: readers.sessions.get,
    takesImages: ({ vendor }) =>
      vendors.some(({ manifest }) => manifest.id === vendor && manifest.capabilities.takesImages),
    imagePath: images.path,
    prompt: (...args) => sessions.prompt(...args),
    saidSince: (...args) => chat.saidSince(...args),
  });
  const fileSearch = createFileSearch({
    mono: clock.mono,
    list: async (id) => {
      const session = readers.sessions.get(id);
      if (!session?.projectId) return [];
      return projects.files(session.projectId, session.cwd);
    },
  });
  const board = createBoard({
    log,
    now: clock.now,
    vendors: vendors.map((vendor) => vendor.manifest),
    read: {
      session: readers.sessions.get,
      sessions: readers.sessions.all,
      need: readers.needs.get,
      needs: readers.needs.recent,
      message: readers.messages.get,
      messages: readers.messages.recent,
      project: readers.projects.get,
      projects: readers.projects.all,
      worktree: readers.projects.worktree,
      worktrees: readers.projects.allWorktrees,
    },
  });

  const report = async (): Promise<HostReport> => ({
    checks: await preflightHere(config),
    vendors: await Promise.all(vendors.map((vendor) => vendor.detect(vendorEnv))),
  });
  const services: Services = {
    board,
    sessions: {
      ...sessions,
      files: async (id, query) => fileSearch.find(id, query),
    },
    projects,
    needs: {
      answer: (caller, input) => needs.answer(caller.deviceId, input),
      history: (id) => readers.needs.historyOf(id),
    },
    chat: { page: chat.page, image: chat.image, follow: chat.follow },
    messages: {
      send: (caller, input) => messages.send(caller.label, input),
      edit: (id, change) => messages.edit(id, change),
      remove: (id) => messages.remove(id),
      retry: (id) => messages.retry(id),
      draft: (id) => messages.draft(id),
      earlier: (id) => messages.earlier(id),
      keepDraft: (id, draft) => messages.keepDraft(id, draft),
      putImage: images.put,
      image: images.read,
    },
    host: {
      info: (caller) => ({
        version: VERSION,
        serverId: auth.serverId,
        hostName: hostname(),
        home: config.userHome,
        demo: options.demo,
        scopes: [...caller.scopes],
        deviceLabel: caller.label,
      }),
      checks: report,
    },
    devices: {
      list: (caller) => auth.list().map((device) => ({ ...device, you: device.id === caller.deviceId })),
      revoke: (id) => auth.revoke(id),
    },
  };

  const status = (): HostStatus => ({
    version: VERSION,
    port: config.port,
    sessions: readers.sessions.all().map((session) => ({
      id: session.id,
      name: session.name,
      vendor: session.vendor,
      kind: session.kind,
      state: session.state,
      since: session.since,
      project: session.projectId ? (readers.projects.get(session.projectId)?.name ?? null) : null,
      worktree: session.cwd,
      needs: readers.needs.openOf(session.id).filter((need) => need.state === 'pending').length,
    })),
  });

  const launchUrl = (): string => `http://127.0.0.1:${config.port}/#${auth.newLaunchCode()}`;
  await tmux.ensureServer();
  const http = await createHttpServer({
    port: config.port,
    ...(config.dev
      ? { shell: null, devHandler: await createDevHandler(join(DIST, '..'), config.port) }
      : { shell: await loadShell(join(DIST, '..', 'out')) }),
    auth,
    clock,
    journal,
    services,
    terminal,
  });
  if (http.note) journal.info(http.note);
  terminal.start();
  needs.reconcile();
  await sessions.reconcile();
  messages.reconcile();

  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      await http.close();
      needs.close();
      messages.close();
      fileSearch.close();
      await sessions.close();
      await terminal.close();
      db.$client.close();
      if (demoFolder) await emptyDemo(demoFolder);
      await control.close();
      if (demoFolder) rmSync(demoFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    })();
    return stopping;
  };
  const stopAndExit = () => void stop().finally(() => process.exit(0));
  const doctor = async (): Promise<HostReport> => {
    const { checks, vendors: found } = await report();
    const { alive, version } = await tmux.probe();
    const ours = hostChecks({
      addresses: http.addresses(),
      note: http.note,
      paths,
      sqlite: sqliteFacts(db),
      tmux: { program: tmuxProgram, alive, version },
    });
    return { checks: [...checks, ...ours], vendors: found };
  };
  control.serve({ open: launchUrl, status, doctor, stop: stopAndExit });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stopAndExit);

  const url = launchUrl();
  const opened =
    options.open &&
    (await openUrl({ url, folder: paths.runtime, path: config.path, env: config.sessionEnv }));
  process.stdout.write(
    opened
      ? `\nOffdeck is running on http://127.0.0.1:${config.port} and was opened in your browser.\n`
      : `\nOffdeck is running. Open this link within a minute (it works once):\n\n  ${url}\n\nLater: offdeck open\n`,
  );
  if (demoFolder) {
    await startDemo({ folder: demoFolder, git: gitProgram ?? 'git', env: config.toolEnv, services, journal });
  }
  return { url: http.url, stop };
}

/** A program the preflight has already found, or the error that names it. */
function needed(name: string, config: Config): string {
  const found = findProgram(name, config.path);
  if (found) return found;
  throw new AppError({
    code: 'missing-tool',
    message: `${name} was not found.`,
    hint: 'Run: offdeck doctor',
  });
}
