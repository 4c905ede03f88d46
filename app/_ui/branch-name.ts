const WORDS = 5;
const MOST = 40;

/** Pure. A branch name that the first words of a prompt suggest; empty when they suggest none. */
export function branchFrom(prompt: string): string {
  const line = prompt.split('\n').find((each) => each.trim()) ?? '';
  const words = line
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  let name = '';
  for (const word of (words ?? []).slice(0, WORDS)) {
    const next = name ? `${name}-${word}` : word;
    if (next.length > MOST) break;
    name = next;
  }
  return name;
}
