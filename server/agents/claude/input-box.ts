/*
 * The input box of Claude Code as its screen shows it (2.1.197): two full-width rules with "❯" and the text between
 * them. A placeholder is dim; a dialog has options instead ("❯ 1. Yes") and no second rule.
 */
const SGR = /\x1b\[([0-9;:]*)m/g;
const RULE = /^─{20,}$/;

/** Text without its colours, and without what is drawn dim. */
function undimmed(line: string): string {
  let dim = false;
  let out = '';
  let from = 0;
  for (const match of line.matchAll(SGR)) {
    if (!dim) out += line.slice(from, match.index);
    from = match.index + match[0].length;
    const codes = (match[1] ?? '').split(';');
    // 38;2;r;g;b and 38;5;n carry numbers that are no attributes.
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i] ?? '';
      if (code === '38' || code === '48') i += codes[i + 1] === '2' ? 4 : 2;
      else if (code === '2') dim = true;
      else if (code === '22' || code === '0' || code === '') dim = false;
    }
  }
  return dim ? out : out + line.slice(from);
}

/** Pure. What stands in the input box, or null when there is none: a dialog, another screen, or not drawn yet. */
export function inputBox(screen: readonly string[]): string | null {
  const plain = screen.map((line) => line.replace(SGR, '').trimEnd());
  const bottom = plain.findLastIndex((line) => RULE.test(line));
  const top = plain.slice(0, Math.max(0, bottom)).findLastIndex((line) => RULE.test(line));
  const first = plain[top + 1];
  if (top < 0 || bottom - top < 2 || first === undefined || !/^❯/.test(first)) return null;
  if (/^❯[\s\u00a0]*\d+\.\s/.test(first)) return null;
  return screen
    .slice(top + 1, bottom)
    .map((line, i) => undimmed(line).replace(i === 0 ? /^❯[\s\u00a0]?/ : /^\s{0,2}/, ''))
    .join('\n')
    .replaceAll('\u00a0', ' ')
    .trim();
}
