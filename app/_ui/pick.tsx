import type { KeyboardEvent, ReactNode } from 'react';

export interface Option<T extends string> {
  value: T;
  label: string;
  title?: string;
  disabled?: boolean;
}

const STEP: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** One of a few, all in sight. One stop of the Tab key; the arrows choose. */
export function Pick<T extends string>(props: {
  label: string;
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
}) {
  const live = props.options.filter((option) => !option.disabled);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = STEP[event.key];
    if (step === undefined || live.length === 0) return;
    event.preventDefault();
    const at = live.findIndex((option) => option.value === props.value);
    const next = live[(at + step + live.length) % live.length];
    if (!next) return;
    props.onChange(next.value);
    event.currentTarget.querySelector<HTMLElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus();
  };
  return (
    <div className="pick" role="radiogroup" aria-label={props.label} onKeyDown={onKeyDown}>
      {props.options.map((option) => (
        // biome-ignore lint/a11y/useSemanticElements: buttons in a row, one of which is chosen.
        <button
          type="button"
          role="radio"
          key={option.value}
          data-value={option.value}
          aria-checked={props.value === option.value}
          tabIndex={props.value === option.value ? 0 : -1}
          disabled={option.disabled}
          title={option.title}
          onClick={() => props.onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

export const Field = ({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) => (
  <div className="field">
    <span>{label}</span>
    <div>
      {children}
      {hint ? <p className="hint">{hint}</p> : null}
    </div>
  </div>
);
