'use client';
import { Menu } from 'lucide-react';
import { ask } from './asks';

/** Opens the drawer of sessions where the window is too narrow for a sidebar. */
export function MenuButton() {
  return (
    <button
      type="button"
      className="btn ghost icon menu-button"
      aria-label="Sessions"
      title="Sessions"
      onClick={() => ask('menu')}
    >
      <Menu aria-hidden="true" />
    </button>
  );
}
