import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { writePrivate } from './files';
import { findProgram } from './process';

export interface OpenUrl {
  url: string;
  folder: string; // a private folder (0700) for the page that leads there
  path: string;
  env: Record<string, string>;
  platform?: NodeJS.Platform;
}

/**
 * Shows a URL in the person's browser; false when there is no screen or no opener, so the caller prints it instead.
 * The URL carries a launch code and a program's arguments can be read by every user of the machine (S-22), so the
 * opener gets the path of a 0600 page that goes there. The page is overwritten each time and its code works once.
 */
export async function openUrl(options: OpenUrl): Promise<boolean> {
  const platform = options.platform ?? process.platform;
  if (platform !== 'darwin' && !options.env.DISPLAY && !options.env.WAYLAND_DISPLAY) return false;
  const opener = findProgram(platform === 'darwin' ? 'open' : 'xdg-open', options.path);
  if (opener === null) return false;
  const page = join(options.folder, 'open.html');
  const target = JSON.stringify(options.url).replaceAll('<', '\\u003c');
  writePrivate(
    page,
    `<!doctype html><meta charset="utf-8"><title>Offdeck</title><script>location.replace(${target})</script>\n`,
  );
  return new Promise((resolve) => {
    // Detached and never waited for: some openers run the browser itself and end only with it.
    const child = spawn(opener, [page], { detached: true, stdio: 'ignore', env: options.env });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
