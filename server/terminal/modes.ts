/**
 * Modes that tmux 3.3a knows but cannot report: which of them an application has switched on, so that a late viewer
 * gets bracketed paste, focus reports and the shape of the cursor too. Fed with filtered output, which never ends
 * within a sequence.
 */
export class Modes {
  #on = new Set<number>();
  #cursor = 0;

  /** True when something changed that is worth keeping. */
  push(bytes: Buffer): boolean {
    if (bytes.indexOf('\x1b[') < 0 && bytes.indexOf('\x1bc') < 0) return false;
    let changed = false;
    for (const match of bytes
      .toString('latin1')
      .matchAll(/\x1b(?:\[\?([0-9;]+)([hl])|\[([0-6]) q|c|\[!p)/g)) {
      if (match[1] !== undefined) {
        for (const mode of match[1].split(';').map(Number)) {
          if (mode !== 2004 && mode !== 1004) continue;
          const on = match[2] === 'h';
          if (on === this.#on.has(mode)) continue;
          if (on) this.#on.add(mode);
          else this.#on.delete(mode);
          changed = true;
        }
      } else if (match[3] !== undefined) {
        changed ||= this.#cursor !== Number(match[3]);
        this.#cursor = Number(match[3]);
      } else if (this.#on.size > 0 || this.#cursor !== 0) {
        this.#on.clear();
        this.#cursor = 0;
        changed = true;
      }
    }
    return changed;
  }

  get bracketed(): boolean {
    return this.#on.has(2004);
  }

  /** A short text for a pane option, so that it outlives the host. */
  save(): string {
    return `${[...this.#on].join('.')}c${this.#cursor}`;
  }
  load(text: string): void {
    const match = /^([0-9.]*)c([0-6])$/.exec(text);
    if (!match) return;
    this.#on = new Set((match[1] ?? '').split('.').filter(Boolean).map(Number));
    this.#cursor = Number(match[2]);
  }

  /** What sets a fresh terminal to these modes. */
  restore(): string {
    return (
      [...this.#on].map((mode) => `\x1b[?${mode}h`).join('') + (this.#cursor ? `\x1b[${this.#cursor} q` : '')
    );
  }
}
