'use client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Project } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { trpc } from '../../_client/queries';

/** Chooses a folder of the host, and asks whether git may run in it (S-33). */
export function AddProject({
  folder,
  onAdded,
  onCancel,
}: {
  /** A repository to ask about at once: one whose trust was lost because it changed. */
  folder?: string | undefined;
  onAdded: (project: Project) => void;
  onCancel?: (() => void) | undefined;
}) {
  const [path, setPath] = useState(folder ?? '');
  const [at, setAt] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [question, setQuestion] = useState<{ project: Project; risks: string[]; digest: string } | null>(
    null,
  );
  const folders = useQuery(trpc.projects.browse.queryOptions({ path: at }));

  const look = async (folder: string) => {
    const { project, trust } = await api().projects.add.mutate({ path: folder });
    if (project.trusted && !trust.asked) onAdded(project as Project);
    else setQuestion({ project: project as Project, risks: trust.risks, digest: trust.digest });
  };
  const add = async (folder: string) => {
    setBusy(true);
    setProblem(null);
    setQuestion(null);
    try {
      await look(folder);
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it opens.
  useEffect(() => {
    if (folder) void add(folder);
  }, []);
  const trust = async ({ project, digest }: { project: Project; digest: string }) => {
    setBusy(true);
    setProblem(null);
    try {
      onAdded((await api().projects.trust.mutate({ id: project.id, digest })) as Project);
    } catch (error) {
      setProblem(problemText(error));
      // What is refused here is a list that is no longer true: show the one that is.
      await look(project.path).catch(() => {});
      setBusy(false);
    }
  };
  return (
    <div className="panel" style={{ marginBottom: 0 }}>
      <div className="body">
        <div className="pick" style={{ flexWrap: 'nowrap' }}>
          <input
            className="in mono"
            aria-label="Folder"
            placeholder="/path/to/repository"
            value={path}
            onChange={(event) => setPath(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && path) {
                event.preventDefault();
                event.stopPropagation();
                void add(path);
              }
            }}
          />
          <button type="button" className="btn" disabled={!path || busy} onClick={() => void add(path)}>
            Add
          </button>
          {onCancel ? (
            <button type="button" className="btn ghost" onClick={onCancel}>
              Back
            </button>
          ) : null}
        </div>
        {problem ? (
          <p className="problem" role="alert">
            {problem}
          </p>
        ) : null}
        {question ? (
          <div>
            <p>
              Do you trust <b>{question.project.name}</b>? Git and your agents will work in it.
            </p>
            {question.risks.length > 0 ? (
              <>
                <p className="hint">When you commit or check out here, git would run:</p>
                <ul className="risks">
                  {question.risks.map((risk) => (
                    <li key={risk}>{risk}</li>
                  ))}
                </ul>
              </>
            ) : (
              <p className="hint">Nothing in it runs by itself.</p>
            )}
            <div className="acts" style={{ padding: '10px 0 0' }}>
              <button type="button" className="btn ghost" onClick={() => setQuestion(null)}>
                Not now
              </button>
              <button type="button" className="btn pri" disabled={busy} onClick={() => void trust(question)}>
                Trust this repository
              </button>
            </div>
          </div>
        ) : (
          <div className="folders">
            {folders.data?.parent ? (
              <button type="button" onClick={() => setAt(folders.data.parent)}>
                ‹ {folders.data.path}
              </button>
            ) : null}
            {folders.isPending ? <p className="note">Looking …</p> : null}
            {folders.error ? <p className="note problem">{problemText(folders.error)}</p> : null}
            {folders.data?.entries.map((entry) => (
              <button
                type="button"
                key={entry.path}
                onClick={() => {
                  if (entry.repository) {
                    setPath(entry.path);
                    void add(entry.path);
                  } else setAt(entry.path);
                }}
              >
                <span className="mono">{entry.name}</span>
                <span className="sp hint">{entry.repository ? 'repository' : ''}</span>
              </button>
            ))}
            {folders.data?.entries.length === 0 ? <p className="note">No folders here.</p> : null}
            {folders.data?.truncated ? <p className="note">More than 500; type the path.</p> : null}
          </div>
        )}
      </div>
    </div>
  );
}
