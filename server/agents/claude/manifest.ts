import type { VendorManifest } from '../../contract';

export const manifest: VendorManifest = {
  id: 'claude',
  label: 'Claude Code',
  short: 'Claude',
  modes: ['build', 'planner'],
  permissions: [
    { id: 'default', label: 'Ask before commands', hint: 'Asks before commands and edits.', risky: false },
    {
      id: 'acceptEdits',
      label: 'Accept edits',
      hint: 'Edits without asking; asks before commands.',
      risky: false,
    },
    { id: 'auto', label: 'Auto', hint: 'Decides by itself what to ask.', risky: false },
    { id: 'bypassPermissions', label: 'Never ask', hint: 'Runs everything without asking.', risky: true },
  ],
  capabilities: {
    answersApprovals: true,
    resumes: true,
    reportsContext: true,
    reportsQuota: true,
    chats: true,
    takesImages: true,
  },
  install: 'npm install -g @anthropic-ai/claude-code',
  signIn: 'claude auth login',
  hidden: false,
};
