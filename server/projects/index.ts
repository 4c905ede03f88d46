/**
 * Projects: the repositories a person registered and their worktrees. Owns adding, trust and choosing where a session
 * works. Guarantees that no git runs in a repository before it is trusted, that a change to what it would run is
 * asked about again before anything is written, and that every worktree of ours records the commit it began from. It
 * must never delete anything and never touch the user's files.
 */
export { createProjects, type ProjectDeps, type Projects } from './projects';
export { type ProjectReader, projectReader, projectsProjection } from './store';
