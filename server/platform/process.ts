import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

export interface RunOptions {
  cwd?: string;
  env: Record<string, string>;
  input?: string | Uint8Array;
  timeoutMs?: number; // default 15 s
  maxBytes?: number; // of stdout; default 32 MiB
  signal?: AbortSignal;
}
export interface RunResult {
  code: number | null; // null: killed
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
  timedOut: boolean;
  tooBig: boolean;
}

/**
 * Runs a program with an argv array and a closed environment: never a shell (S-30). Own process group, so a timeout
 * ends its children too; TERM first, KILL two seconds later, so git can remove its lock.
 * Resolves for every exit code; rejects only if the program could not be started.
 */
export function run(file: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { timeoutMs = 15_000, maxBytes = 32 * 1024 * 1024 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: options.env,
      detached: true,
      shell: false,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    let err = '';
    let size = 0;
    let timedOut = false;
    let tooBig = false;
    let hard: NodeJS.Timeout | undefined;
    const killGroup = (signal: NodeJS.Signals) => {
      try {
        if (child.pid) process.kill(-child.pid, signal);
      } catch {
        // The group ended between the decision and the signal.
      }
    };
    const stop = () => {
      killGroup('SIGTERM');
      hard ??= setTimeout(() => killGroup('SIGKILL'), 2_000);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    options.signal?.addEventListener('abort', stop, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        tooBig = true;
        stop();
      } else out.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (err.length < 64 * 1024) err += chunk.toString('utf8');
    });
    child.stdin.on('error', () => {
      // The program ended without reading its input; its exit code tells the story.
    });
    const done = () => {
      clearTimeout(timer);
      clearTimeout(hard);
      options.signal?.removeEventListener('abort', stop);
    };
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('close', (code, signal) => {
      done();
      resolve({ code, signal, stdout: Buffer.concat(out), stderr: err, timedOut, tooBig });
    });
    child.stdin.end(options.input);
  });
}

/** The absolute path of a program on `PATH`, or null. No shell, no `which`. */
export function findProgram(name: string, path: string): string | null {
  const candidates = isAbsolute(name)
    ? [name]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((dir) => join(dir, name));
  for (const candidate of candidates) {
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {
      // Not here; the next folder on the path may have it.
    }
  }
  return null;
}

/** True while a process with this pid exists (it may belong to someone else). */
export function processAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
