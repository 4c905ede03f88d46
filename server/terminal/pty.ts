/// <reference path="../../node_modules/node-pty/node-pty.d.ts" />
import { createRequire } from 'node:module';
import type { IPty } from '@lydell/node-pty';

// The package is installed under node-pty's name while its types declare its own, so the two are joined by hand here.
const pty = createRequire(import.meta.url)('node-pty') as typeof import('@lydell/node-pty');

export type { IPty };
export const spawnPty = pty.spawn;
