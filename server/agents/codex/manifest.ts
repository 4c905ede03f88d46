import type { VendorManifest } from '../../contract';

export const manifest: VendorManifest = {
  id: 'codex',
  label: 'Codex',
  short: 'Codex',
  modes: ['build', 'planner'],
  permissions: [
    {
      id: 'workspace',
      label: 'Ask outside the workspace',
      hint: 'Changes files and runs commands in its worktree by itself; asks for anything beyond it.',
      risky: false,
    },
    {
      id: 'read-only',
      label: 'Read only',
      hint: 'Reads by itself; asks before every change.',
      risky: false,
    },
    {
      id: 'full',
      label: 'Full access',
      hint: 'Never asks and has no sandbox: it can change whatever you can.',
      risky: true,
    },
  ],
  capabilities: {
    answersApprovals: true,
    resumes: true,
    reportsContext: true,
    reportsQuota: true,
    chats: true,
    takesImages: true,
  },
  install: 'npm install -g @openai/codex',
  signIn: 'codex login',
  hidden: false,
};

/** What a permission of the manifest is called in Codex. */
export const PROFILES: Readonly<Record<string, { permissions: string; approvalPolicy: string }>> = {
  workspace: { permissions: ':workspace', approvalPolicy: 'on-request' },
  'read-only': { permissions: ':read-only', approvalPolicy: 'on-request' },
  full: { permissions: ':danger-full-access', approvalPolicy: 'never' },
};
