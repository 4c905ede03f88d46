import { randomUUID } from 'node:crypto';
import { AppError } from '../../contract';
import { findProgram, writePrivate } from '../../platform';
import { isConversationId, type LaunchInput, type LaunchPlan } from '../port';
import { LIVE_FILE } from './live-text';
import { manifest } from './manifest';
import { asText } from './typing';

/** Every hook we listen to. Not WorktreeCreate: registering it replaces the creation itself (2.1.197). */
const EVENTS = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
] as const;
/** An answer may come from a phone hours later; the CLI's own default would end the hook after a minute. */
const ANSWER_S = 86_400;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export async function launch(input: LaunchInput): Promise<LaunchPlan> {
  const program = findProgram('claude', input.path);
  if (!program) {
    throw new AppError({
      code: 'missing-tool',
      message: 'Claude Code was not found on this machine.',
      hint: `Install it with: ${manifest.install}`,
    });
  }
  const hook = (event: string, timeout?: number) => [
    {
      hooks: [{ type: 'command', command: input.hookCommand(event), ...(timeout ? { timeout } : {}) }],
    },
  ];
  // Per session and additive: the user's own settings stay as they are, and their own hooks run too.
  const settings = {
    hooks: {
      ...Object.fromEntries(EVENTS.map((event) => [event, hook(event)])),
      PermissionRequest: hook('PermissionRequest', ANSWER_S),
      // It comes with every line the agent says; a file is all it needs, and a program of ours per line would cost more
      // than the agent itself.
      MessageDisplay: [
        { hooks: [{ type: 'command', command: `{ cat; echo; } >> ${quoted(`${input.dir}/${LIVE_FILE}`)}` }] },
      ],
    },
    statusLine: { type: 'command', command: input.hookCommand('StatusLine') },
  };
  const file = `${input.dir}/claude-settings.json`;
  writePrivate(file, JSON.stringify(settings, null, 2));
  if (input.resume !== null && !isConversationId(input.resume)) {
    throw new AppError({
      code: 'conflict',
      message: 'What is recorded as the conversation of this session is no name of one.',
      hint: 'Start a new session.',
    });
  }
  const conversation = input.resume ?? randomUUID();
  const argv = [
    program,
    '--settings',
    file,
    '--permission-mode',
    input.mode === 'planner' ? 'plan' : input.permission,
    ...(input.resume ? ['--resume', conversation] : ['--session-id', conversation]),
  ];
  if (input.prompt.trim()) argv.push(asText(input.prompt));
  return { argv, env: {}, vendorSession: conversation, promptIncluded: true };
}
