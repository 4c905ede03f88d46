'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { readFontSize, readTheme, setFontSize, setTheme, type Theme } from '../../_client/preferences';
import { elapsed } from '../../_ui/elapsed';
import { Preflight } from '../start';

const THEMES: readonly [Theme, string][] = [
  ['system', 'As the system'],
  ['dark', 'Dark'],
  ['light', 'Light'],
];

export function Settings() {
  const board = useBoard();
  const client = useQueryClient();
  const [theme, choose] = useState<Theme>('system');
  const [size, choose2] = useState(13);
  const [problem, setProblem] = useState<string | null>(null);
  const [sure, setSure] = useState<string | null>(null);
  useEffect(() => {
    choose(readTheme());
    choose2(readFontSize());
  }, []);
  const devices = useQuery({
    queryKey: ['devices'],
    queryFn: () => api().devices.list.query(),
    enabled: board.ready,
  });
  const info = useQuery({ queryKey: ['info'], queryFn: () => api().host.info.query(), enabled: board.ready });
  const revoke = async (id: string) => {
    if (sure !== id) {
      setSure(id);
      return;
    }
    setSure(null);
    try {
      await api().devices.revoke.mutate({ id: id as never });
      await client.invalidateQueries({ queryKey: ['devices'] });
    } catch (error) {
      setProblem(problemText(error));
    }
  };
  return (
    <>
      <header className="bar">
        <h1>Settings</h1>
      </header>
      <div className="empty" style={{ margin: '0 auto' }}>
        <div className="panel">
          <h3>This browser</h3>
          <div className="body">
            <div className="field">
              <span>Theme</span>
              <div className="pick" role="radiogroup" aria-label="Theme">
                {THEMES.map(([value, label]) => (
                  // biome-ignore lint/a11y/useSemanticElements: a group of buttons that look like the other choices.
                  <button
                    type="button"
                    key={value}
                    role="radio"
                    aria-checked={theme === value}
                    onClick={() => {
                      choose(value);
                      setTheme(value);
                    }}
                  >
                    {label}
                  </button>
                ))}
              </div>
            </div>
            <label className="field">
              <span>Terminal text</span>
              <input
                className="in num"
                type="number"
                min={8}
                max={28}
                value={size}
                onChange={(event) => {
                  const value = Number(event.target.value);
                  choose2(value);
                  if (value >= 8 && value <= 28) setFontSize(value);
                }}
              />
            </label>
          </div>
        </div>
        <div className="panel">
          <h3>
            Devices <small>paired browsers; removing one cuts it off at once</small>
          </h3>
          {devices.error ? <p className="note problem">{problemText(devices.error)}</p> : null}
          {problem ? <p className="note problem">{problem}</p> : null}
          {devices.data
            ?.filter((device) => device.revoked === null)
            .map((device) => (
              <div className="ck" key={device.id}>
                <span className="ok">{device.you ? '●' : '○'}</span>
                <span>{device.label}</span>
                <span className="hint">
                  {device.you
                    ? 'this browser'
                    : device.lastSeen
                      ? `seen ${elapsed(Date.now() - device.lastSeen)} ago`
                      : 'never seen'}
                  {' · may '}
                  {device.scopes.join(', ')}
                </span>
                <button type="button" className="btn danger" onClick={() => void revoke(device.id)}>
                  {sure === device.id ? 'Really remove?' : 'Remove'}
                </button>
              </div>
            ))}
        </div>
        <Preflight />
        <p className="hint">
          Offdeck {info.data?.version} on {info.data?.hostName}. No account, no telemetry: nothing leaves this
          machine but what your agents and git send themselves.
        </p>
      </div>
    </>
  );
}
