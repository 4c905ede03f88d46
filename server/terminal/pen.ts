/** Attributes by what ends them; 22 ends two. */
const ENDS: Record<number, readonly string[]> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  25: ['blink'],
  27: ['reverse'],
  28: ['hidden'],
  29: ['struck'],
  39: ['front'],
  49: ['back'],
  55: ['over'],
  59: ['line'],
};
const BEGINS: Record<number, string> = {
  ...{ 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline', 5: 'blink', 6: 'blink', 7: 'reverse', 8: 'hidden' },
  ...{ 9: 'struck', 21: 'underline', 38: 'front', 48: 'back', 53: 'over', 58: 'line' },
};

/** The look of what an application writes next (SGR), as far as it is not the plain one. */
export class Pen {
  #set = new Map<string, string>();

  /** The numbers between `CSI` and `m`. */
  apply(text: string): void {
    const parts = text.split(';');
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] ?? '';
      const code = Number(part.split(':')[0]);
      const name = BEGINS[code] ?? colour(code);
      // "4:0" is how an underline is taken away in the newer way of writing.
      if (code === 0) this.#set.clear();
      else if (part === '4:0') this.#set.delete('underline');
      else if (ENDS[code]) for (const each of ENDS[code]) this.#set.delete(each);
      else if (name) {
        // A colour as numbers of their own: 38;5;n or 38;2;r;g;b.
        const more = part === '38' || part === '48' || part === '58' ? (parts[i + 1] === '5' ? 2 : 4) : 0;
        this.#set.set(name, parts.slice(i, i + 1 + more).join(';'));
        i += more;
      }
    }
  }

  get plain(): boolean {
    return this.#set.size === 0;
  }
  /** Whether a blank drawn with it looks like nothing. */
  get unseen(): boolean {
    return !['back', 'reverse', 'underline', 'struck', 'over'].some((name) => this.#set.has(name));
  }
  clear(): void {
    this.#set.clear();
  }
  copy(): Pen {
    const other = new Pen();
    other.#set = new Map(this.#set);
    return other;
  }
  /** What gives a plain terminal this pen. */
  restore(): string {
    return this.plain ? '' : `\x1b[${[...this.#set.values()].join(';')}m`;
  }
}

function colour(code: number): string | null {
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return 'front';
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) return 'back';
  return null;
}
