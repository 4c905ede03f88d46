import { existsSync } from 'node:fs';
import { AppError } from '../../contract';
import { newId, writePrivate } from '../../platform';
import type { AgentVendor } from '../port';
import { manifest } from './manifest';
import { ScriptedRun } from './run';

/** Where the agent program is; handed in by the environment of the build. */
export interface ScriptedOptions {
  node: string;
  program: string;
}

export const scripted = ({ node, program }: ScriptedOptions): AgentVendor => ({
  manifest,
  async detect() {
    const there = existsSync(program);
    return {
      vendor: manifest.id,
      path: there ? program : null,
      version: '1',
      signedIn: 'yes',
      problem: there ? null : 'The scripted agent has not been built; run npm run build.',
    };
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
  attach: (context) => new ScriptedRun(context),
});
