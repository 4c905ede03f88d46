'use client';
import { useEffect, useState } from 'react';
import { useBoard } from '../../_client/board-store';
import { useHostInfo } from '../../_client/host-info';
import { FONT_SIZES, isOn, readFontSize, type Switch, setFontSize, turn } from '../../_client/preferences';
import { readTheme, setTheme, type Theme } from '../../_client/theme';
import { ask } from '../../_ui/asks';
import { MenuButton } from '../../_ui/menu-button';
import { Field, Pick } from '../../_ui/pick';
import { FirstRun } from '../start';
import { Devices } from './devices';

const THEMES = [
  { value: 'system', label: 'As the system' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
] as const;

function Toggle({ name, label, hint }: { name: Switch; label: string; hint: string }) {
  const [on, setOn] = useState(() => isOn(name));
  return (
    <label className="switch">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => {
          setOn(event.target.checked);
          turn(name, event.target.checked);
        }}
      />
      <span>
        {label}
        <span className="hint">{hint}</span>
      </span>
    </label>
  );
}

function FontSize() {
  const [size, setSize] = useState(readFontSize);
  const change = (by: number) => {
    const next = Math.min(FONT_SIZES.most, Math.max(FONT_SIZES.least, size + by));
    setSize(next);
    setFontSize(next);
  };
  return (
    <fieldset className="stepper" aria-label="Size of the terminal's text">
      <button
        type="button"
        className="btn"
        aria-label="Smaller"
        disabled={size <= FONT_SIZES.least}
        onClick={() => change(-1)}
      >
        −
      </button>
      <output className="num">{size} px</output>
      <button
        type="button"
        className="btn"
        aria-label="Larger"
        disabled={size >= FONT_SIZES.most}
        onClick={() => change(1)}
      >
        +
      </button>
    </fieldset>
  );
}

export function Settings() {
  const board = useBoard();
  const [theme, choose] = useState<Theme>(readTheme);
  const info = useHostInfo(board.ready);
  useEffect(() => choose(readTheme()), []);
  return (
    <>
      <header className="bar">
        <MenuButton />
        <h1>Settings</h1>
      </header>
      <div className="settings">
        <section className="panel" aria-label="This browser">
          <h2>This browser</h2>
          <div className="body">
            <Field label="Theme">
              <Pick
                label="Theme"
                value={theme}
                options={THEMES}
                onChange={(value) => {
                  choose(value);
                  setTheme(value);
                }}
              />
            </Field>
            <Field label="Terminal text">
              <FontSize />
            </Field>
            <Field label="Terminal">
              <Toggle
                name="terminal-gpu"
                label="Draw with the graphics card"
                hint="Smoother on a desk with much output. Goes back to plain drawing by itself when it fails."
              />
              <Toggle
                name="terminal-reader"
                label="For screen readers"
                hint="Reads new lines of the terminal aloud."
              />
            </Field>
            <Field label="Keys">
              <button type="button" className="btn" onClick={() => ask('help')}>
                Show the keys <kbd>?</kbd>
              </button>
            </Field>
          </div>
        </section>
        <Devices />
        <FirstRun />
        <section className="panel" aria-label="About">
          <h2>About</h2>
          <div className="body">
            <Field label="Host">
              <span className="fact">{info?.hostName ?? '…'}</span>
            </Field>
            <Field label="This browser is">
              <span className="fact">{info?.deviceLabel ?? '…'}</span>
            </Field>
            <Field label="Version">
              <span className="fact num">{info?.version ?? '…'}</span>
            </Field>
            <p className="hint">
              No account, no telemetry: nothing leaves this machine but what your agents and git send
              themselves.
            </p>
          </div>
        </section>
      </div>
    </>
  );
}
