import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { emitKeypressEvents } from 'node:readline';
import type { ChatItem, ChatPatch, FileDiff, ToolKind, ToolOutcome } from '../../contract';
import { parseScript, type Step } from './script';

/*
 * The program that runs in the pane. It stands where a vendor's CLI stands, so it is not part of the host: it knows
 * only its session folder, its socket and its keyboard.
 */
const dir = process.argv[2] ?? '.';
const plan = JSON.parse(readFileSync(`${dir}/script.json`, 'utf8')) as {
  prompt: string;
  permission: string;
  conversation: string;
  resumed: boolean;
};
const out = (text: string) => process.stdout.write(text.replaceAll('\n', '\r\n'));
const dim = (text: string) => `\x1b[2m${text}\x1b[0m`;
/** Ends early when the person interrupts. */
const wait = (ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
let wake: () => void = () => {};

let counter = 0;
const callId = () => `${process.pid}-${++counter}`;

/** One call over the session's socket. Resolves null when the host is down and the call need not wait. */
function call(
  event: string,
  payload: unknown,
  options: { id?: string; patient?: boolean } = {},
): Promise<unknown> {
  const id = options.id ?? callId();
  return new Promise((resolve) => {
    const attempt = () => {
      let done = false;
      let text = '';
      const again = () => {
        if (done) return;
        done = true;
        socket.destroy();
        if (options.patient && !cancelled.has(id)) setTimeout(attempt, 200);
        else resolve(null);
      };
      let hook: { socket: string; capability: string };
      try {
        hook = JSON.parse(readFileSync(`${dir}/hook.json`, 'utf8')) as typeof hook;
      } catch {
        resolve(null);
        return;
      }
      const socket = net.connect(hook.socket);
      socket.on('connect', () => {
        socket.write(
          `${JSON.stringify({ v: 1, capability: hook.capability, event, callId: id, payload, wait: options.patient ?? false })}\n`,
        );
      });
      socket.on('data', (chunk) => {
        text += chunk.toString('utf8');
        if (!text.includes('\n')) return;
        done = true;
        socket.destroy();
        let reply: unknown = null;
        try {
          reply = (JSON.parse(text) as { reply?: unknown }).reply ?? null;
        } catch {
          // A reply that cannot be read is no decision.
        }
        resolve(reply);
      });
      socket.on('error', again);
      socket.on('close', again);
      if (!options.patient) setTimeout(again, 1_000);
    };
    attempt();
  });
}
const cancelled = new Set<string>();

let status: Record<string, unknown> = {};
async function signal(change: Record<string, unknown>): Promise<void> {
  const { activity: _, ...kept } = change;
  status = { ...status, ...kept };
  writeFileSync(`${dir}/status.json.tmp`, JSON.stringify(status), { mode: 0o600 });
  renameSync(`${dir}/status.json.tmp`, `${dir}/status.json`);
  await call('signal', change);
}

/** Its conversation, in the very form the host shows. */
const record = (patch: ChatPatch & { pictures?: string[] }) =>
  appendFileSync(`${dir}/conversation.jsonl`, `${JSON.stringify(patch)}\n`, { mode: 0o600 });
const itemId = () => `${plan.conversation}-${process.pid}-${++counter}`;
type Without<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never;
const show = (item: Without<ChatItem>, id = itemId()) =>
  record({ type: 'item', item: { ...item, id, at: Date.now() } as ChatItem });
const begin = (tool: ToolKind, name: string, object: string, files: FileDiff[] = []): string => {
  const id = itemId();
  show({ kind: 'tool', tool, name, object, input: object, files, agent: null, result: null }, id);
  return id;
};
const finish = (id: string, outcome: ToolOutcome, output = '', exitCode: number | null = null, ms = 0) =>
  record({
    type: 'result',
    id,
    at: Date.now(),
    agent: null,
    weak: false,
    result: {
      outcome,
      output: output.slice(0, 16_000),
      cut: output.length > 16_000,
      exitCode,
      ms,
      files: null,
    },
  });

type Key = { name?: string | undefined; sequence?: string | undefined; ctrl?: boolean | undefined };
let onKey: (text: string, key: Key) => void = () => {};
let interrupted = false;

async function ask(
  kind: 'command' | 'edit' | 'question',
  body: string,
  why: string | null,
  options: readonly string[] = [],
): Promise<boolean> {
  const ref = `r-${plan.conversation}-${process.pid}-${++counter}`;
  out(
    `\n\x1b[33m${kind === 'edit' ? 'Change this file?' : kind === 'question' ? 'Question' : 'Run this command?'}\x1b[0m\n`,
  );
  out(`${body}\n${dim('[y] yes   [n] no')}\n`);
  await signal({ state: 'needs-you', detail: 'A request is open.' });
  return new Promise((resolve) => {
    let open = true;
    const finish = async (yes: boolean, by: 'terminal' | 'offdeck') => {
      if (!open) return;
      open = false;
      onKey = idleKeys;
      cancelled.add(ref);
      out(`${yes ? 'Allowed' : 'Denied'} ${dim(by === 'terminal' ? 'in the terminal' : 'in Offdeck')}\n`);
      await signal({ state: 'working', detail: 'The request was answered.' });
      await call('answered', { ref, by });
      resolve(yes);
    };
    onKey = (text, key) => {
      if (text === 'y') void finish(true, 'terminal');
      else if (text === 'n' || key.name === 'escape') {
        if (key.name === 'escape') interrupted = true;
        void finish(false, 'terminal');
      }
    };
    void call('request', { ref, kind, body, why, options }, { id: ref, patient: true }).then((reply) => {
      const { decision, answer } = (reply ?? {}) as { decision?: string; answer?: string };
      if (answer) {
        out(`${answer}\n`);
        show({ kind: 'notice', tone: 'info', text: `Answered: ${answer}` });
      }
      if (decision === 'allow' || decision === 'deny') void finish(decision === 'allow', 'offdeck');
    });
  });
}

function runCommand(command: string): Promise<{ code: number; output: string }> {
  out(`${dim('$')} ${command}\n`);
  let output = '';
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    const heard = (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      if (output.length < 20_000) output += text;
      process.stdout.write(text.replaceAll('\n', '\r\n'));
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
  });
}

/** True when the turn goes on. */
async function perform(step: Step): Promise<boolean> {
  switch (step.do) {
    case 'say':
      // In a script a line is a step, so a paragraph's end is written out.
      out(`${step.text.replaceAll('\\n', '\n')}\n`);
      show({ kind: 'reply', text: step.text.replaceAll('\\n', '\n'), ref: null });
      return true;
    case 'talk': {
      const ref = itemId();
      const words = step.text.split(' ');
      for (let said = 1; said <= words.length && !interrupted; said++) {
        out(`${words[said - 1]} `);
        await call('live', { ref, text: words.slice(0, said).join(' ') });
        await wait(step.ms / words.length);
      }
      out('\n');
      show({ kind: 'reply', text: step.text, ref });
      return !interrupted;
    }
    case 'asked':
      return true;
    case 'did': {
      const lines = (mark: string) => step.output.filter((line) => line.startsWith(mark)).length;
      const edit = step.kind === 'edit';
      const file = {
        path: step.object,
        diff: step.output.join('\n'),
        added: lines('+'),
        removed: lines('-'),
      };
      const id = begin(step.kind as ToolKind, step.kind, step.object, edit ? [file] : []);
      finish(
        id,
        'ok',
        edit ? '' : step.output.join('\n'),
        step.kind === 'shell' ? 0 : null,
        100 + step.object.length * 40,
      );
      await signal({ activity: `${step.kind} ${step.object}` });
      out(`${dim('•')} ${step.kind} ${step.object}\n`);
      return true;
    }
    case 'think':
      await wait(step.ms);
      return !interrupted;
    case 'run':
    case 'ask': {
      const id = begin('shell', 'Shell', step.command);
      if (step.do === 'ask' && plan.permission !== 'run') {
        const yes = await ask('command', step.command, 'The script asks for it.');
        if (!yes) {
          out('Not run; going on without it.\n');
          finish(id, 'denied');
          return !interrupted;
        }
      }
      await signal({ activity: `$ ${step.command}` });
      const began = Date.now();
      const { code, output } = await runCommand(step.command);
      finish(id, code === 0 ? 'ok' : 'failed', output, code, Date.now() - began);
      return true;
    }
    case 'edit': {
      const diff = { path: step.path, diff: `+${step.text}`, added: 1, removed: 0 };
      const id = begin('edit', 'Edit', step.path, [diff]);
      const yes = await ask('edit', `${step.path}\n+${step.text}`, null);
      if (yes) {
        writeFileSync(step.path, `${step.text}\n`);
        await signal({ activity: `Edit ${step.path} +1 −0` });
      }
      finish(id, yes ? 'ok' : 'denied');
      return !interrupted;
    }
    case 'question':
      await ask('question', step.text, null, step.options);
      return !interrupted;
    case 'activity':
      await signal({ activity: step.text });
      return true;
    case 'recap':
      await signal({ recap: step.text });
      return true;
    case 'context':
      await signal({ contextPct: step.pct, quota: { used: step.pct, resetsAt: Date.now() + 3_600_000 } });
      return true;
    case 'limit':
      out('\x1b[31mUsage limit reached.\x1b[0m\n');
      await signal({
        state: 'limit',
        reason: 'Usage limit reached',
        resetsAt: Date.now() + step.minutes * 60_000,
      });
      return false;
    case 'background':
      await signal({ state: 'waiting', reason: step.text, detail: 'A background job runs.' });
      await wait(step.ms);
      return true;
    case 'fail':
      out(`\x1b[31m${step.text}\x1b[0m\n`);
      await signal({ state: 'error', reason: step.text || 'The script failed.' });
      return false;
    case 'sign-out':
      await signal({ state: 'signed-out', reason: 'The script signed out.' });
      return false;
    case 'exit':
      process.exit(step.code);
  }
}

let busy = false;
async function turn(typed: string): Promise<void> {
  const paths = [...(/^(?:\[image [^\]]+\] )+/.exec(typed)?.[0] ?? '').matchAll(/\[image ([^\]]+)\]/g)];
  const prompt = typed.replace(/^(?:\[image [^\]]+\] )+/, '');
  const pictures = paths.map(([, path = '']) => readFileSync(path).toString('base64'));
  busy = true;
  interrupted = false;
  const began = Date.now();
  const steps = parseScript(prompt);
  const asked = steps.find((step) => step.do === 'asked')?.text;
  record({
    type: 'item',
    item: {
      kind: 'user',
      id: itemId(),
      at: Date.now(),
      text: (asked ?? prompt).trim(),
      images: pictures.length,
      queued: false,
    },
    pictures,
  });
  if (pictures.length > 0) show({ kind: 'reply', text: `I see ${pictures.length} image(s).`, ref: null });
  await call('prompt', { text: prompt });
  await signal({ state: 'working', detail: 'A prompt was accepted.', reason: null, resetsAt: null });
  for (const step of steps) {
    if (interrupted) break;
    if (!(await perform(step))) {
      if (interrupted) break;
      busy = false;
      if (step.do === 'fail')
        show({ kind: 'notice', tone: 'error', text: step.text || 'The script failed.' });
      if (step.do === 'limit') show({ kind: 'notice', tone: 'limit', text: 'Usage limit reached.' });
      out('\n❯ ');
      return;
    }
  }
  await signal(
    interrupted
      ? { state: 'idle', detail: 'The turn was interrupted.' }
      : { state: 'finished', detail: 'The turn ended.', reason: null },
  );
  if (interrupted) show({ kind: 'notice', tone: 'interrupted', text: 'Interrupted.' });
  else show({ kind: 'turn-end', ms: Date.now() - began });
  out(interrupted ? dim('Interrupted.\n') : '');
  busy = false;
  out('\n❯ ');
}

let line = '';
let pasting = false;
const idleKeys = (text: string, key: Key) => {
  if (key.name === 'paste-start' || key.name === 'paste-end') {
    pasting = key.name === 'paste-start';
  } else if (pasting) {
    // A line end inside a paste is text, as in the CLIs this stands for.
    const shown = text === '\r' ? '\n' : text;
    line += shown;
    out(shown);
  } else if (key.ctrl && key.name === 'c') {
    process.exit(0);
  } else if (key.name === 'escape') {
    if (busy) {
      interrupted = true;
      wake();
    }
  } else if (key.name === 'return' || key.name === 'enter') {
    const prompt = line.replaceAll('\\n', '\n');
    line = '';
    out('\n');
    if (!busy && prompt.trim()) void turn(prompt);
    else if (!busy) out('❯ ');
  } else if (key.name === 'backspace') {
    if (line) out('\b \b');
    line = line.slice(0, -1);
  } else if (text) {
    line += text;
    out(text);
  }
};

onKey = idleKeys;
if (process.stdin.isTTY) process.stdin.setRawMode(true);
out('\x1b[?2004h');
// The default wait for the rest of an escape sequence is half a second; a person's Esc should count at once.
emitKeypressEvents(process.stdin, { escapeCodeTimeout: 30 } as never);
process.stdin.on('keypress', (text: string | undefined, key: Key) => onKey(text ?? '', key));
out(
  `\x1b]0;Scripted agent\x07\x1b[1mScripted agent\x1b[0m ${dim(plan.resumed ? `resumed ${plan.conversation}` : plan.conversation)}\n`,
);
if (plan.prompt.trim()) {
  out(`❯ ${parseScript(plan.prompt).find((step) => step.do === 'asked')?.text ?? plan.prompt}\n`);
  void turn(plan.prompt);
} else {
  void signal({ state: 'idle', detail: 'It waits for a prompt.' });
  out('❯ ');
}
