'use client';
import { useQuery } from '@tanstack/react-query';
import { api, problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';

/** What this machine has and lacks, each with the command that mends it; looks again by itself until all is well. */
export function Preflight() {
  const board = useBoard();
  const checks = useQuery({
    queryKey: ['checks'],
    queryFn: () => api().host.checks.query(),
    enabled: board.ready,
    refetchInterval: (query) => {
      const all = query.state.data;
      const well = all?.checks.every((c) => c.ok) && all.vendors.every((v) => v.path && v.signedIn !== 'no');
      return well ? false : 10_000;
    },
  });
  const vendors = checks.data?.vendors ?? [];
  return (
    <div className="panel">
      <h3>
        First run <small>turns green by itself</small>
      </h3>
      {checks.error ? <p className="note problem">{problemText(checks.error)}</p> : null}
      {checks.isPending ? <p className="note">Looking …</p> : null}
      {checks.data?.checks.map((check) => (
        <div className="ck" key={check.id}>
          <span className={check.ok ? 'ok' : check.required ? 'no' : 'hint'}>
            {check.ok ? '✓' : check.required ? '✕' : '–'}
            <span className="sr-only">{check.ok ? 'found' : 'missing'}</span>
          </span>
          <span>{check.label}</span>
          <span className="hint">{check.detail}</span>
          {check.fix && !check.ok ? <code>{check.fix}</code> : <span />}
        </div>
      ))}
      {vendors.map((found) => {
        const manifest = board.vendors.find((v) => v.id === found.vendor);
        const well = found.path !== null && found.signedIn !== 'no';
        return (
          <div className="ck" key={found.vendor}>
            <span className={well ? 'ok' : found.path ? 'no' : 'hint'}>
              {well ? '✓' : found.path ? '✕' : '–'}
              <span className="sr-only">{well ? 'ready' : 'not ready'}</span>
            </span>
            <span>{manifest?.label ?? found.vendor}</span>
            <span className="hint">
              {found.path
                ? [
                    found.version,
                    found.signedIn === 'yes'
                      ? 'signed in'
                      : found.signedIn === 'no'
                        ? 'not signed in'
                        : 'sign-in unknown',
                  ]
                    .filter(Boolean)
                    .join(' · ')
                : (found.problem ?? 'not found')}
            </span>
            {!found.path && manifest ? (
              <code>{manifest.install}</code>
            ) : found.signedIn === 'no' && manifest ? (
              <code>{manifest.signIn}</code>
            ) : (
              <span />
            )}
          </div>
        );
      })}
    </div>
  );
}
