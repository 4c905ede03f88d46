import type { VendorManifest } from '../../contract';

export const manifest: VendorManifest = {
  id: 'scripted',
  label: 'Scripted agent',
  short: 'Scripted',
  modes: ['build', 'planner'],
  permissions: [
    {
      id: 'ask',
      label: 'Ask before commands',
      hint: 'Asks before each command of its script.',
      risky: false,
    },
    { id: 'run', label: 'Run everything', hint: 'Never asks.', risky: true },
  ],
  capabilities: {
    answersApprovals: true,
    resumes: true,
    reportsContext: true,
    reportsQuota: true,
    chats: true,
    takesImages: true,
  },
  install: 'npm ci',
  signIn: '',
  hidden: true,
};
