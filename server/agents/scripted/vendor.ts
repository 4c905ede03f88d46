import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, type ChatPatch } from '../../contract';
import { newId, writePrivate } from '../../platform';
import type { AgentVendor, Found } from '../port';
import { manifest } from './manifest';
import { ScriptedRun } from './run';

/** The two kinds of lines in the record of the agent program. */
const Written = z.union([
  z.object({ type: z.literal('item'), item: z.object({ kind: z.string(), id: z.string() }) }),
  z.object({ type: z.literal('result'), id: z.string(), result: z.object({ outcome: z.string() }) }),
]);

const Pictures = z.object({ pictures: z.array(z.string()) });

/** Where the agent program is; handed in by the environment of the build. */
export interface ScriptedOptions {
  node: string;
  program: string;
}

export const scripted = ({ node, program }: ScriptedOptions): AgentVendor => {
  const find = (): Found =>
    existsSync(program)
      ? { path: program, problem: null }
      : { path: null, problem: 'The scripted agent has not been built; run npm run build.' };
  return {
    manifest,
    find,
    async detect() {
      return { vendor: manifest.id, ...find(), version: '1', signedIn: 'yes' };
    },
    async launch(input) {
      if (!existsSync(program)) {
        throw new AppError({
          code: 'missing-tool',
          message: 'The scripted agent has not been built.',
          hint: 'npm run build',
        });
      }
      const conversation = input.resume ?? newId(60);
      const file = `${input.dir}/script.json`;
      writePrivate(
        file,
        JSON.stringify({
          prompt: input.prompt,
          mode: input.mode,
          permission: input.permission,
          conversation,
          resumed: input.resume !== null,
        }),
      );
      return { argv: [node, program, input.dir], env: {}, vendorSession: conversation, promptIncluded: true };
    },
    async commands() {
      return [{ name: 'greet', hint: 'Greets whom you name', takes: '[name]', from: 'cli' }];
    },
    attach: (context) => new ScriptedRun(context),
    transcript: {
      async locate({ dir, agent }) {
        if (agent !== null && !/^[\w-]+$/.test(agent)) return null;
        const path = join(dir, agent === null ? 'conversation.jsonl' : `conversation-${agent}.jsonl`);
        return existsSync(path) ? path : null;
      },
      // The agent program writes what we show; anything else that stands in its file is not ours.
      images: (record) => (Pictures.safeParse(record).data?.pictures ?? []).map((data) => ({ data })),
      read: (record) => (Written.safeParse(record).success ? [record as ChatPatch] : []),
    },
  };
};
