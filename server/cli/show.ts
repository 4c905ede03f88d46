import type { Check, Detection, ErrorShape, HostReport, HostStatus } from '../contract';

/** Control characters of a name must not reach the person's terminal. */
const plain = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?');

export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (seconds < 60) return `${seconds}s`;
  if (minutes < 10) return `${minutes}m ${seconds % 60}s`;
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
  return `${Math.floor(minutes / 1440)}d`;
}

/** Rows as columns, two spaces apart. */
function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function showStatus(status: HostStatus, now: number): string {
  const head = `Offdeck ${status.version} on http://127.0.0.1:${status.port}`;
  if (status.sessions.length === 0) return `${head}\nNo sessions.\n`;
  const rows = status.sessions.map((one) => [
    plain(one.name),
    one.needs > 0 ? `${one.state} (${one.needs})` : one.state,
    elapsed(now - one.since),
    one.vendor,
    plain(one.project ?? '-'),
    plain(one.worktree ?? '-'),
    one.id,
  ]);
  return `${head}\n\n${table([['NAME', 'STATE', 'FOR', 'AGENT', 'PROJECT', 'FOLDER', 'ID'], ...rows])}\n`;
}

const mark = (check: Check) => (check.ok ? 'ok     ' : check.required ? 'MISSING' : 'warning');

export function showChecks(checks: readonly Check[]): string {
  return checks
    .map((check) => {
      const line = `${mark(check)}  ${check.label}: ${plain(check.detail)}`;
      return check.ok || check.fix === null ? line : `${line}\n         ${check.fix}`;
    })
    .join('\n');
}

const showVendor = (one: Detection): string => {
  if (one.path === null) return `-        ${one.vendor}: ${one.problem ?? 'not found'}`;
  const signedIn = { yes: 'signed in', no: 'not signed in', unknown: 'sign-in unknown' }[one.signedIn];
  const facts = `${one.version ?? 'version unknown'} at ${plain(one.path)}, ${signedIn}`;
  return one.problem === null
    ? `ok       ${one.vendor}: ${facts}`
    : `warning  ${one.vendor}: ${facts}\n         ${plain(one.problem)}`;
};

export function showReport(report: HostReport): string {
  const vendors = report.vendors.map(showVendor).join('\n');
  return `${showChecks(report.checks)}\n${vendors === '' ? '' : `\nAgents\n${vendors}\n`}`;
}

/** What happened, and what to do about it. */
export const showError = (error: ErrorShape): string =>
  error.hint === undefined ? `offdeck: ${error.message}\n` : `offdeck: ${error.message}\n  ${error.hint}\n`;
