/**
 * True for tmux 3.2 and later, the first with all that we ask of it. Knows release names ("tmux 3.3a"), previews
 * ("tmux next-3.5") and builds from source ("tmux master").
 */
export function tmuxNewEnough(versionText: string): boolean {
  if (/\bmaster\b/.test(versionText)) return true;
  const match = /(\d+)\.(\d+)/.exec(versionText);
  if (!match) return false;
  const major = Number(match[1]);
  return major > 3 || (major === 3 && Number(match[2]) >= 2);
}
