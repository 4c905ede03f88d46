'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import type { Mode, StartSession, WorkplaceChoice, WorktreeId } from '@/server/contract';
import { api, problemOf, problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { keepChoice, readChoice } from '../../_client/preferences';
import { Queries, trpc } from '../../_client/queries';
import { toast } from '../../_ui/asks';
import { branchFrom } from '../../_ui/branch-name';
import { modKey } from '../../_ui/mod-key';
import { Field, Pick } from '../../_ui/pick';
import { AddProject } from './add-project';

type Place = WorkplaceChoice['type'];
const PLACES: readonly [Place, string][] = [
  ['new', 'New'],
  ['existing', 'Existing'],
  ['main', 'Main checkout'],
];
const placeOf = (kept: string | null): Place => PLACES.find(([place]) => place === kept)?.[0] ?? 'new';
const MODES: readonly [Mode, string][] = [
  ['build', 'Build'],
  ['planner', 'Planner'],
];

export const StartDialog = (props: { open: boolean; onClose: () => void }) => (
  <Queries>
    <Form {...props} />
  </Queries>
);

function Form({ open, onClose }: { open: boolean; onClose: () => void }) {
  const board = useBoard();
  const router = useRouter();
  const client = useQueryClient();
  const [vendor, setVendor] = useState(() => readChoice('vendor') ?? '');
  const [project, setProject] = useState(() => readChoice('project') ?? '');
  const [adding, setAdding] = useState<'no' | 'new' | 'again'>('no');
  const [place, setPlace] = useState<Place>(() => placeOf(readChoice('place')));
  const [branch, setBranch] = useState('');
  const [base, setBase] = useState('');
  const [worktree, setWorktree] = useState('');
  const [mode, setMode] = useState<Mode>(() => (readChoice('mode') === 'planner' ? 'planner' : 'build'));
  const [permission, setPermission] = useState(() => readChoice('permission') ?? '');
  const [prompt, setPrompt] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [untrusted, setUntrusted] = useState(false);

  const checks = useQuery(trpc.host.checks.queryOptions(undefined, { enabled: open, staleTime: 30_000 }));
  const trusted = [...board.projects.values()].filter((p) => p.trusted);
  const chosen = board.projects.get(project);
  const branches = useQuery(
    trpc.projects.branches.queryOptions({ id: project }, { enabled: open && !!chosen?.trusted }),
  );
  const worktrees = useQuery(
    trpc.projects.worktrees.queryOptions(
      { id: project },
      { enabled: open && !!chosen?.trusted && place === 'existing' },
    ),
  );
  const manifest = board.vendors.find((v) => v.id === vendor) ?? null;

  const absent = (id: string) => checks.data?.vendors.find((d) => d.vendor === id)?.path === null;
  // What was last used may be gone, and the first of the list may never have been there.
  const usable = (board.vendors.find((v) => !absent(v.id)) ?? board.vendors[0])?.id ?? 'terminal';
  const unusable = vendor !== 'terminal' && (!manifest || absent(vendor));
  useEffect(() => {
    if (unusable) setVendor(usable);
  }, [unusable, usable]);
  const first = trusted[0]?.id ?? '';
  useEffect(() => {
    if (!chosen?.trusted && first) setProject(first);
  }, [chosen?.trusted, first]);
  useEffect(() => {
    if (manifest && !manifest.permissions.some((p) => p.id === permission)) {
      setPermission(manifest.permissions[0]?.id ?? '');
    }
    if (manifest && !manifest.modes.includes(mode)) setMode(manifest.modes[0] ?? 'build');
  }, [manifest, permission, mode]);
  const current = branches.data?.current ?? branches.data?.branches[0]?.name ?? '';
  const baseRef = base || current;
  const suggested = branchFrom(prompt);
  const newBranch = branch.trim() || suggested;

  const workplace = (): WorkplaceChoice =>
    place === 'new'
      ? { type: 'new', branch: newBranch, base: baseRef }
      : place === 'existing'
        ? { type: 'existing', worktreeId: worktree as WorktreeId }
        : { type: 'main' };
  /** Without a branch to start from the host could only refuse; which of the three it is, the person can tell. */
  const noBase = branches.error
    ? problemText(branches.error)
    : branches.data
      ? 'This repository has no commit yet.'
      : 'Reading the branches …';
  const missing = absent(vendor)
    ? `${manifest?.label ?? vendor} is not installed.`
    : !chosen?.trusted
      ? 'Choose a project.'
      : place === 'new' && !newBranch
        ? 'Name the new branch.'
        : place === 'new' && !baseRef
          ? noBase
          : place === 'existing' && !worktree
            ? 'Choose a worktree.'
            : null;

  /** Branch and worktree belong to the project they were chosen in. */
  const choose = (id: string) => {
    setProject(id);
    setBase('');
    setWorktree('');
  };
  const start = async () => {
    if (missing || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      const input = {
        vendor,
        projectId: project,
        workplace: workplace(),
        mode,
        permission,
        prompt,
      } as StartSession;
      const session = await api().sessions.start.mutate(input);
      keepChoice('vendor', vendor);
      keepChoice('project', project);
      keepChoice('place', place);
      keepChoice('mode', mode);
      // A mode that never asks is chosen anew each time.
      if (!manifest?.permissions.find((p) => p.id === permission)?.risky)
        keepChoice('permission', permission);
      setPrompt('');
      setBranch('');
      onClose();
      void client.invalidateQueries({ queryKey: trpc.projects.branches.queryKey() });
      const show = () => router.push(`/session?id=${session.id}`);
      if (session.kind === 'terminal') show();
      else toast(`Started “${session.name}”.`, { label: 'Open', run: show });
    } catch (error) {
      setUntrusted(problemOf(error).code === 'untrusted');
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  const agents = [
    ...board.vendors.map((v) => {
      const found = checks.data?.vendors.find((d) => d.vendor === v.id);
      if (!absent(v.id)) return { value: v.id, label: v.label };
      return {
        value: v.id,
        label: `${v.label} — not found`,
        disabled: true,
        title: found?.problem ?? `Install it: ${v.install}`,
      };
    }),
    { value: 'terminal', label: 'Terminal' },
  ];
  return (
    <Dialog.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="dialog"
          aria-describedby={undefined}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void start();
          }}
        >
          <Dialog.Title asChild>
            <h2>New session</h2>
          </Dialog.Title>
          <div className="body">
            <Field label="Agent">
              <Pick label="Agent" value={vendor} options={agents} onChange={setVendor} />
            </Field>
            <Field label="Project">
              {adding !== 'no' || trusted.length === 0 ? (
                <AddProject
                  key={adding}
                  folder={adding === 'again' ? chosen?.path : undefined}
                  onCancel={trusted.length > 0 ? () => setAdding('no') : undefined}
                  onAdded={(added) => {
                    choose(added.id);
                    setAdding('no');
                    setProblem(null);
                    setUntrusted(false);
                  }}
                />
              ) : (
                <div className="pick" style={{ flexWrap: 'nowrap' }}>
                  <select
                    className="in mono"
                    aria-label="Project"
                    value={project}
                    onChange={(event) => {
                      choose(event.target.value);
                    }}
                  >
                    {trusted.map((p) => (
                      <option key={p.id} value={p.id}>
                        {p.name}
                      </option>
                    ))}
                  </select>
                  <button type="button" className="btn" onClick={() => setAdding('new')}>
                    Add project…
                  </button>
                </div>
              )}
            </Field>
            {chosen?.trusted && adding === 'no' ? (
              <>
                <Field label="Worktree">
                  <Pick
                    label="Worktree"
                    value={place}
                    options={PLACES.map(([value, label]) => ({ value, label }))}
                    onChange={setPlace}
                  />
                  {place === 'new' ? (
                    <div className="pick" style={{ marginTop: 6, flexWrap: 'nowrap' }}>
                      <input
                        className="in mono"
                        aria-label="Branch"
                        placeholder={suggested || 'name of the new branch'}
                        value={branch}
                        onChange={(event) => setBranch(event.target.value)}
                      />
                      <select
                        className="in mono"
                        aria-label="From"
                        value={baseRef}
                        onChange={(event) => setBase(event.target.value)}
                      >
                        {branches.data?.branches.map((b) => (
                          <option key={b.name} value={b.name}>
                            from {b.name}@{b.commit.slice(0, 7)}
                          </option>
                        ))}
                      </select>
                    </div>
                  ) : null}
                  {place === 'existing' ? (
                    <select
                      className="in mono"
                      style={{ marginTop: 6 }}
                      aria-label="Which worktree"
                      value={worktree}
                      onChange={(event) => setWorktree(event.target.value)}
                    >
                      <option value="">choose …</option>
                      {worktrees.data
                        ?.filter((w) => w.kind !== 'main')
                        .map((w) => (
                          <option key={w.id} value={w.id}>
                            {w.branch ?? 'detached'} — {w.path}
                          </option>
                        ))}
                    </select>
                  ) : null}
                </Field>
                {manifest ? (
                  <>
                    <Field label="Mode">
                      <div className="pick">
                        <Pick
                          label="Mode"
                          value={mode}
                          options={MODES.filter(([m]) => manifest.modes.includes(m)).map(
                            ([value, label]) => ({
                              value,
                              label,
                            }),
                          )}
                          onChange={setMode}
                        />
                        <select
                          className="in"
                          style={{ width: 'auto' }}
                          aria-label="Permission"
                          value={permission}
                          onChange={(event) => setPermission(event.target.value)}
                        >
                          {manifest.permissions.map((p) => (
                            <option key={p.id} value={p.id}>
                              {p.label}
                            </option>
                          ))}
                        </select>
                      </div>
                      {manifest.permissions.find((p) => p.id === permission)?.risky ? (
                        <p className="problem">It will not ask before it acts.</p>
                      ) : null}
                    </Field>
                    <Field label="Prompt">
                      <textarea
                        className="in"
                        aria-label="Prompt"
                        value={prompt}
                        onChange={(event) => setPrompt(event.target.value)}
                      />
                    </Field>
                  </>
                ) : null}
              </>
            ) : null}
            {problem ? (
              <div role="alert">
                <p className="problem">{problem}</p>
                {untrusted ? (
                  <button type="button" className="btn" onClick={() => setAdding('again')}>
                    See what changed
                  </button>
                ) : null}
              </div>
            ) : null}
          </div>
          <div className="foot">
            <span className="hint">{missing ?? ''}</span>
            <span className="sp" />
            <button type="button" className="btn ghost" onClick={onClose}>
              Cancel
            </button>
            <button
              type="button"
              className="btn pri"
              disabled={!!missing || busy}
              onClick={() => void start()}
            >
              {busy ? 'Starting …' : 'Start'} <kbd>{modKey()}↵</kbd>
            </button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
