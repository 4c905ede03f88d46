import type { AgentVendor } from '../port';
import { detect, find } from './detect';
import { Held, launch } from './launch';
import { manifest } from './manifest';
import { CodexRun } from './run';
import { images, locate, read } from './transcript';

const held = new Held();

export const codex: AgentVendor = {
  manifest,
  find,
  detect,
  commands: async () => [
    {
      name: 'compact',
      hint: 'Frees context by summarising the conversation so far',
      takes: null,
      from: 'cli',
    },
  ],
  launch: (input) => launch(input, held),
  attach: (context) => new CodexRun(context, held),
  transcript: { images, locate, read },
};
