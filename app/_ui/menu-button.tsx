'use client';
import { Menu } from 'lucide-react';
import { ask } from './asks';
import { IconButton } from './icon-button';

/** Opens the drawer of sessions where the window is too narrow for a sidebar. */
export const MenuButton = () => (
  <IconButton label="Sessions" icon={Menu} className="menu-button" onClick={() => ask('menu')} />
);
