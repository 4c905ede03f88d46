import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Bytes, writeLaunchFile } from './launch-file';
import type { Windows } from './windows';

export interface ServiceRow {
  name: string;
  pane: string;
  dead: boolean;
  exitCode: number | null;
  pid: number;
}

/** Helper processes that outlive the host: windows of the private server that are no sessions. */
export interface Services {
  /** Starts `name` unless it runs. Resolves when the process was started, not when it is ready. */
  ensure(
    name: string,
    spec: { argv: readonly Bytes[]; env: Readonly<Record<string, Bytes>>; cwd: Bytes },
  ): Promise<void>;
  /** Ends it; fine when it does not run. */
  stop(name: string): Promise<void>;
  /** Dead ones too, with the exit code. Empty when the server is gone. */
  list(): Promise<ServiceRow[]>;
  /** A folder (0700) for sockets with short paths. */
  readonly runtimeDir: string;
}

/** `folder` keeps the launch files, `runtimeDir` is handed on. `ready` makes sure that the server runs. */
export function createServices(
  windows: Windows,
  where: { folder: string; runtimeDir: string },
  ready: () => Promise<void>,
): Services {
  const list: Services['list'] = async () =>
    ((await windows.list()) ?? [])
      .filter((row) => row.service !== '')
      .map((row) => ({
        name: row.service,
        pane: row.pane,
        dead: row.dead,
        exitCode: row.exitCode,
        pid: row.pid,
      }));
  return {
    runtimeDir: where.runtimeDir,
    list,
    async ensure(name, spec) {
      if ((await list()).some((row) => row.name === name && !row.dead)) return;
      await ready();
      const launchFile = join(where.folder, `${name.replaceAll(/[^a-z0-9-]/g, '_')}.launch`);
      mkdirSync(where.folder, { recursive: true, mode: 0o700 });
      writeLaunchFile(launchFile, spec);
      await windows.ensure({
        name: `service-${name}`,
        mark: '@service',
        value: name,
        launchFile,
        size: null,
      });
    },
    async stop(name) {
      for (const row of await list()) if (row.name === name) await windows.close(row.pane);
    },
  };
}
