/* Finding programs on PATH, for the scripts and the browser tests. */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

export function findProgram(name) {
  const candidates = isAbsolute(name)
    ? [name]
    : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return (
    candidates.find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }) ?? null
  );
}

const CHROMIUM = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** A browser of this machine (`CHROMIUM` names one), or null. */
export function findChromium() {
  if (process.env.CHROMIUM) return findProgram(process.env.CHROMIUM);
  for (const name of CHROMIUM) {
    const path = findProgram(name);
    if (path) return path;
  }
  return null;
}
