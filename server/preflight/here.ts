import type { Check } from '../contract';
import { type Config, findProgram, readIfThere, run } from '../platform';
import { preflight } from './preflight';

/** The preflight of the machine we run on. */
export const preflightHere = (config: Config): Promise<Check[]> =>
  preflight({
    config,
    findProgram,
    run,
    arch: process.arch,
    platform: process.platform,
    nodeVersion: process.version,
    cpuInfo: () => readIfThere('/proc/cpuinfo'),
  });
