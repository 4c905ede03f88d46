/**
 * Files of the worktrees, as people look for them. Finds paths by a few letters of them, in lists of 200,000 without
 * holding up the host. It reads no file and knows no git: the lists are handed in.
 */
export { createFileSearch, type FileSearch } from './search';
