/** How each package manager calls what we need. The first one found on the machine gives the command to copy. */
const MANAGERS = [
  { program: 'brew', command: 'brew install', names: { tmux: 'tmux', git: 'git', python3: 'python' } },
  {
    program: 'apt-get',
    command: 'sudo apt-get install -y',
    names: { tmux: 'tmux', git: 'git', python3: 'python3' },
  },
  {
    program: 'dnf',
    command: 'sudo dnf install -y',
    names: { tmux: 'tmux', git: 'git', python3: 'python3' },
  },
  {
    program: 'pacman',
    command: 'sudo pacman -S --needed',
    names: { tmux: 'tmux', git: 'git', python3: 'python' },
  },
] as const;

export type Tool = 'tmux' | 'git' | 'python3';

/** The command that installs `tool` here, or a sentence when no known package manager is found. */
export function installCommand(tool: Tool, has: (program: string) => boolean): string {
  const manager = MANAGERS.find((one) => has(one.program));
  return manager
    ? `${manager.command} ${manager.names[tool]}`
    : `Install ${tool} with this system's package manager.`;
}
