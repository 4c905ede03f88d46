import type { ConfigEntry } from './config-list';

/**
 * Reads a git configuration file as text, because before a repository is trusted no git runs in it, not even to list
 * settings. Follows git's own grammar. `complete` is false when the text breaks that grammar: what was read up to
 * there is returned, and the caller must treat the rest as unknown, not as harmless.
 */
export function parseConfigText(text: string): { entries: ConfigEntry[]; complete: boolean } {
  const entries: ConfigEntry[] = [];
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  let at = 0;
  let section = '';
  const broken = () => ({ entries, complete: false });
  const skipLine = () => {
    while (at < source.length && source[at] !== '\n') at++;
  };

  while (at < source.length) {
    const c = source[at] as string;
    if (/\s/.test(c)) at++;
    else if (c === '#' || c === ';') skipLine();
    else if (c === '[') {
      const head = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/.exec(
        source.slice(at, at + 4_000),
      );
      if (!head) return broken();
      const middle = head[2]?.replace(/\\(.)/gs, '$1');
      section = (head[1] as string).toLowerCase() + (middle === undefined ? '' : `.${middle}`);
      at += head[0].length;
    } else {
      const name = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*/.exec(source.slice(at, at + 400));
      if (!name || section === '') return broken();
      at += name[0].length;
      const key = `${section}.${(name[1] as string).toLowerCase()}`;
      if (source[at] !== '=') {
        const end = source[at];
        if (end !== undefined && end !== '\n' && end !== '#' && end !== ';') return broken();
        entries.push({ scope: 'local', key, value: 'true' });
        continue;
      }
      at++;
      const read = readValue(source, at);
      if (!read) return broken();
      entries.push({ scope: 'local', key, value: read.value });
      at = read.end;
    }
  }
  return { entries, complete: true };
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"', '\n': '' };

/** A value up to its line's end: quotes, escapes, continued lines, comments. Null when git would refuse it. */
function readValue(source: string, start: number): { value: string; end: number } | null {
  let value = '';
  let blanks = ''; // held back: blanks count only when something follows them
  let quoted = false;
  let at = start;
  for (; at < source.length && (source[at] !== '\n' || quoted); at++) {
    const c = source[at] as string;
    if (c === '\n') return null;
    if (!quoted && (c === '#' || c === ';')) {
      while (at < source.length && source[at] !== '\n') at++;
      break;
    }
    if (!quoted && /\s/.test(c)) {
      if (value !== '') blanks += c;
      continue;
    }
    if (c === '"') {
      quoted = !quoted;
      continue;
    }
    let add = c;
    if (c === '\\') {
      at++;
      const escaped = ESCAPES[source[at] ?? ''];
      if (escaped === undefined) return null;
      add = escaped;
    }
    value += blanks + add;
    blanks = '';
  }
  return quoted ? null : { value, end: at };
}
