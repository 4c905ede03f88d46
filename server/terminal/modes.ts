import { Pen } from './pen';

/** What an application writes with: its colours, and its alphabets with the one in use. */
class Hand {
  pen = new Pen();
  sets = ['B', 'B', 'B', 'B'];
  shifted = false;

  copy(): Hand {
    const other = new Hand();
    other.pen = this.pen.copy();
    other.sets = [...this.sets];
    other.shifted = this.shifted;
    return other;
  }
  restore(): string {
    const sets = this.sets.map((set, i) => (set === 'B' ? '' : `\x1b${'()*+'[i]}${set}`)).join('');
    return `${sets}${this.shifted ? '\x0e' : ''}${this.pen.restore()}`;
  }
}

const TOLD =
  /[\x0e\x0f]|\x1b(?:\[\?([0-9;]+)([hl])|\[([0-6]) q|\[([0-9;:]*)m|([()*+])([0-~])|([78c])|\[(s|u|!p))/g;

/**
 * What tmux 3.3a knows of a pane but cannot report: which modes an application has switched on, the shape of the cursor
 * and what it writes with, so that a late viewer gets them too. Fed with filtered output, which never ends within a
 * sequence.
 */
export class Modes {
  #on = new Set<number>();
  #cursor = 0;
  #hand = new Hand();
  #saved = new Hand();
  /** What the primary screen is written with, while another is shown. */
  #primary = new Hand();

  /** True when something changed that is worth keeping. */
  push(bytes: Buffer): boolean {
    if (bytes.indexOf(0x1b) < 0 && bytes.indexOf(0x0e) < 0 && bytes.indexOf(0x0f) < 0) return false;
    const before = this.save();
    for (const [whole, modes, how, shape, look, place, set, single, word] of bytes
      .toString('latin1')
      .matchAll(TOLD)) {
      if (look !== undefined) this.#hand.pen.apply(look);
      else if (modes !== undefined)
        for (const mode of modes.split(';')) this.#switch(Number(mode), how === 'h');
      else if (shape !== undefined) this.#cursor = Number(shape);
      else if (place !== undefined) this.#hand.sets['()*+'.indexOf(place)] = set ?? 'B';
      else if (single === 'c' || word === '!p') this.#reset();
      else if (single === '7' || word === 's') this.#saved = this.#hand.copy();
      else if (single === '8' || word === 'u') this.#hand = this.#saved.copy();
      else this.#hand.shifted = whole === '\x0e';
    }
    return this.save() !== before;
  }

  #switch(mode: number, on: boolean): void {
    if (mode === 2004 || mode === 1004) {
      if (on) this.#on.add(mode);
      else this.#on.delete(mode);
    } else if (mode === 1049) {
      if (on) this.#primary = this.#hand.copy();
      else this.#hand = this.#primary.copy();
    }
  }

  #reset(): void {
    this.#on.clear();
    this.#cursor = 0;
    this.forget();
  }

  /** Output was missed: what is written with is taken for plain, as it mostly is when a program comes to rest. */
  forget(): void {
    this.#hand = new Hand();
    this.#saved = new Hand();
    this.#primary = new Hand();
  }

  /** A short text for a pane option, so that it outlives the host. Not the hand, which changes with every word. */
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
  /** What has it written with, to be said last, and on the primary screen before another is shown. */
  restoreHand(primary = false): string {
    return (primary ? this.#primary : this.#hand).restore();
  }
}
