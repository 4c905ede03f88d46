/** What is being named where the caret stands: a file after `@`, or a command after `/` at the very beginning. */
export interface Token {
  kind: 'file' | 'command';
  query: string;
  from: number; // of the `@` or `/`
  to: number; // the end of the word
}

/** Pure. The token at the caret, or null where nothing is being named. */
export function tokenAt(text: string, caret: number): Token | null {
  const before = text.slice(0, caret);
  const after = /^[^\s"]*/.exec(text.slice(caret))?.[0] ?? '';
  const command = /^\/([\w:.-]*)$/.exec(before);
  if (command) {
    return { kind: 'command', query: (command[1] ?? '') + after, from: 0, to: caret + after.length };
  }
  // An address has its "@" inside a word, and a decorator ends with a bracket: neither names a file.
  const file = /(?:^|[\s(])@(?:"([^"\n]*)|([^\s"()]*))$/.exec(before);
  if (!file) return null;
  const query = file[1] ?? file[2] ?? '';
  const quoted = file[1] !== undefined;
  return {
    kind: 'file',
    query: quoted ? query : query + after,
    from: caret - query.length - (quoted ? 2 : 1),
    to: quoted ? caret : caret + after.length,
  };
}

/** Pure. The text with the chosen name in the token's place, and where the caret goes. */
export function put(text: string, token: Token, name: string): { text: string; caret: number } {
  const word =
    token.kind === 'command'
      ? `/${name} `
      : // A folder stays open, for the next part of the path.
        `@${/\s/.test(name) ? `"${name}"` : name}${name.endsWith('/') ? '' : ' '}`;
  const rest = text.slice(token.to).replace(word.endsWith(' ') ? /^ / : /^/, '');
  return { text: text.slice(0, token.from) + word + rest, caret: token.from + word.length };
}

/** Pure. Commands whose name has the letters, those that begin with them first. */
export function matching<T extends { name: string }>(commands: readonly T[], query: string): T[] {
  const wanted = query.toLowerCase();
  const at = (one: T) => one.name.toLowerCase().indexOf(wanted);
  return commands
    .filter((one) => at(one) >= 0)
    .sort((a, b) => Math.min(at(a), 1) - Math.min(at(b), 1) || a.name.localeCompare(b.name));
}
