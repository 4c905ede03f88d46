import { claude } from './claude';
import { codex } from './codex';
import type { AgentVendor } from './port';
import { type ScriptedOptions, scripted } from './scripted';

/** Every vendor, one line each. The only file outside a vendor's folder that may name one. */
export const createVendors = (build: { scripted: ScriptedOptions }): readonly AgentVendor[] => [
  claude,
  codex,
  scripted(build.scripted),
];
