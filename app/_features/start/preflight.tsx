'use client';
import { useQuery } from '@tanstack/react-query';
import { problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { Queries, trpc } from '../../_client/queries';
import { Copyable } from '../../_ui/copyable';

const LOOK_AGAIN_MS = 10_000;

interface LineProps {
  state: 'well' | 'bad' | 'optional';
  label: string;
  detail: string;
  fix: string | null;
}

const SIGN = { well: '✓', bad: '✕', optional: '–' } as const;
const SPOKEN = { well: 'ready', bad: 'to do', optional: 'optional' } as const;
const TONE = { well: 'ok', bad: 'no', optional: 'hint' } as const;

function Line({ state, label, detail, fix }: LineProps) {
  return (
    <li className="ck">
      <span className={TONE[state]}>
        <span aria-hidden="true">{SIGN[state]}</span>
        <span className="sr-only">{SPOKEN[state]}</span>
      </span>
      <span>{label}</span>
      <span className="hint">{detail}</span>
      {fix && state !== 'well' ? <Copyable text={fix} /> : <span />}
    </li>
  );
}

function List() {
  const board = useBoard();
  const checks = useQuery(
    trpc.host.checks.queryOptions(undefined, {
      enabled: board.ready,
      refetchInterval: (query) => {
        const all = query.state.data;
        const well =
          all?.checks.every((c) => c.ok) && all.vendors.every((v) => v.path && v.signedIn !== 'no');
        return well ? false : LOOK_AGAIN_MS;
      },
    }),
  );
  return (
    <div className="panel">
      <h3>
        First run <small>turns green by itself</small>
      </h3>
      {checks.error ? <p className="note problem">{problemText(checks.error)}</p> : null}
      {checks.isPending ? <p className="note">Looking …</p> : null}
      <ul className="plain">
        {checks.data?.checks.map((check) => (
          <Line
            key={check.id}
            state={check.ok ? 'well' : check.required ? 'bad' : 'optional'}
            label={check.label}
            detail={check.detail}
            fix={check.fix}
          />
        ))}
        {checks.data?.vendors.map((found) => {
          const manifest = board.vendors.find((v) => v.id === found.vendor);
          const signedIn = { yes: 'signed in', no: 'found, not signed in', unknown: '' }[found.signedIn];
          return (
            <Line
              key={found.vendor}
              state={!found.path ? 'optional' : found.signedIn === 'no' ? 'bad' : 'well'}
              label={manifest?.label ?? found.vendor}
              detail={
                found.path
                  ? [found.version, signedIn, found.problem].filter(Boolean).join(' · ')
                  : (found.problem ?? 'not found')
              }
              fix={found.path ? (manifest?.signIn ?? null) : (manifest?.install ?? null)}
            />
          );
        })}
      </ul>
    </div>
  );
}

/** What this machine has and lacks, each with the command that mends it; looks again by itself until all is well. */
export const Preflight = () => (
  <Queries>
    <List />
  </Queries>
);
