/**
 * Settings whose value is, names or unlocks a program that git runs. The list errs on the side of asking: a key that
 * is here for nothing costs one question, one that is missing costs the user's machine (S-33).
 */
const EXEC_KEYS: readonly RegExp[] = [
  /^core\.(hookspath|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand|worktree)$/,
  /^sequence\.editor$/,
  /^diff\.external$/,
  /^diff\..*\.(command|textconv)$/s,
  /^(difftool|mergetool|guitool|browser|man)\..*\.(cmd|path)$/s,
  /^filter\..*\.(clean|smudge|process)$/s,
  /^merge\..*\.driver$/s,
  /^gpg\.(.*\.)?(program|defaultkeycommand)$/s,
  /^credential\.(.*\.)?helper$/s,
  /^include\.path$/,
  /^includeif\..*\.path$/s,
  /^pager\./,
  /^interactive\.difffilter$/,
  /^remote\..*\.(uploadpack|receivepack|vcs)$/s,
  /^url\..*\.(insteadof|pushinsteadof)$/s,
  /^protocol\.(.*\.)?allow$/s,
  /^uploadpack\.packobjectshook$/,
  /^trailer\..*\.(command|cmd)$/s,
  /^(help|web)\.browser$/,
  /^(tar|hook)\..*\.command$/s,
  /^imap\.tunnel$/,
  /^sendemail\..*(cmd|smtpserver)$/s,
  /^init\.templatedir$/,
  /^gc\.recentobjectshook$/,
  /^lfs\.(customtransfer|extension)\..*$/s,
  /^lfs\.(.*\.)?standalonetransferagent$/s,
];

const SWITCH = /^(true|false|yes|no|on|off|[01]|)$/i;

/** True when this setting can make git run a program. `key` as git prints it. */
export function isExecCapable(key: string, value: string): boolean {
  // These have harmless values too: git's built-in monitor, plain aliases, named update ways, ordinary addresses.
  if (key === 'core.fsmonitor') return !SWITCH.test(value);
  if (key.startsWith('alias.')) return value.trimStart().startsWith('!');
  if (/^submodule\..*\.update$/s.test(key)) return value.trimStart().startsWith('!');
  if (/^(remote|submodule)\..*\.(push)?url$/s.test(key)) return /^[A-Za-z0-9]+::/.test(value);
  if (/^pager\./.test(key)) return !SWITCH.test(value);
  return EXEC_KEYS.some((pattern) => pattern.test(key));
}
