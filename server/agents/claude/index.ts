/** Claude Code: per-session hooks by `--settings`, its status line and its live session file. Nothing of the user's is written. */
import type { AgentVendor } from '../port';
import { commands } from './commands';
import { detect, find } from './detect';
import { launch } from './launch';
import { manifest } from './manifest';
import { ClaudeRun } from './run';
import { images, locate, read } from './transcript';

export const claude: AgentVendor = {
  manifest,
  find,
  detect,
  launch,
  commands,
  attach: (context) => new ClaudeRun(context),
  transcript: { images, locate, read },
};
