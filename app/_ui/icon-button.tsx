import type { LucideIcon } from 'lucide-react';

/** An act with only a picture to see; its name is for screen readers and the tooltip. */
export const IconButton = ({
  label,
  icon: Icon,
  onClick,
  className = '',
}: {
  label: string;
  icon: LucideIcon;
  onClick: () => void;
  className?: string;
}) => (
  <button
    type="button"
    className={`btn ghost icon ${className}`.trim()}
    aria-label={label}
    title={label}
    onClick={onClick}
  >
    <Icon aria-hidden="true" />
  </button>
);
