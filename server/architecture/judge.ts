import { posix } from 'node:path';
import { findCycles } from './cycles';
import { type Import, readSource, type Source } from './read-source';
import { type Layer, RULES, type Rules } from './rules';

export interface SourceFile {
  path: string; // from the repository's root, with forward slashes
  text: string;
}
export interface Violation {
  rule: string;
  path: string;
  message: string;
}

interface Module {
  layer: Layer;
  root: string; // a folder, or the file itself
}

/** Pure: holds the files against the rules. Tests and test kits are to be left out by the caller. */
export function judge(files: readonly SourceFile[], rules: Rules = RULES): Violation[] {
  const judging = new Judging(files, rules);
  const found = judging.run();
  const used = new Set<number>();
  const left = found.filter((violation) => {
    const index = rules.exemptions.findIndex(
      (one) => one.path === violation.path && one.rule === violation.rule,
    );
    if (index >= 0) used.add(index);
    return index < 0;
  });
  for (const [i, one] of rules.exemptions.entries()) {
    if (!used.has(i))
      left.push({
        rule: 'exemption',
        path: one.path,
        message: `no longer needs its exemption "${one.rule}"`,
      });
    if (one.reason.length < 10 || !/^\d{4}-\d\d-\d\d$/.test(one.date))
      left.push({ rule: 'exemption', path: one.path, message: 'an exemption needs a reason and a date' });
  }
  return left;
}

class Judging {
  readonly #found: Violation[] = [];
  readonly #paths: Set<string>;
  readonly #vendors: Set<string>;

  constructor(
    readonly files: readonly SourceFile[],
    readonly rules: Rules,
  ) {
    this.#paths = new Set(files.map((file) => file.path));
    const folders = files.map((file) => /^server\/agents\/([^/]+)\//.exec(file.path)?.[1]);
    this.#vendors = new Set(rules.vendorNames);
    // "scripted" is an ordinary word and belongs to nobody.
    for (const folder of folders) if (folder && folder !== 'scripted') this.#vendors.add(folder);
  }

  run(): Violation[] {
    const graph = new Map<string, string[]>();
    for (const file of this.files) graph.set(file.path, this.#file(file));
    for (const cycle of findCycles(graph))
      this.#say('cycle', cycle[0] ?? '', `imports itself: ${[...cycle, cycle[0]].join(' → ')}`);
    return this.#found;
  }

  #say(rule: string, path: string, message: string): void {
    this.#found.push({ rule, path, message });
  }

  /** Judges one file; returns the files of ours that it imports by value. */
  #file(file: SourceFile): string[] {
    const { path, text } = file;
    const { rules } = this;
    this.#name(path);
    const lines = text.split('\n').length - 1;
    if (lines > rules.maxLines)
      this.#say('size', path, `has ${lines} lines; ${rules.maxLines} are the limit`);
    const source = this.#read(path, text);
    if (!source) return [];
    for (const line of source.stars)
      this.#say('star', path, `line ${line}: export * hides what the door gives`);
    const from = this.#moduleOf(path);
    if (!from) this.#say('unknown', path, 'belongs to no layer; add its module to rules.ts');
    const values = new Set<string>();
    for (const one of source.imports) {
      const target = this.#resolve(path, one.from);
      if (one.value) values.add(target ?? one.from);
      if (target && from) this.#import(path, from, one, target);
      if (!target && from && !one.from.startsWith('.')) this.#package(path, from.layer, one);
    }
    if (values.size > rules.maxFanOut && !rules.wideFanOut.includes(path))
      this.#say('fan-out', path, `imports ${values.size} modules; ${rules.maxFanOut} are the limit`);
    this.#vendorWords(path, source);
    this.#machine(path, source);
    return [...values].filter((target) => this.#paths.has(target));
  }

  #read(path: string, text: string): Source | null {
    try {
      return readSource(path, text);
    } catch (error) {
      this.#say('syntax', path, `cannot be read: ${(error as Error).message}`);
      return null;
    }
  }

  #name(path: string): void {
    const name = posix.basename(path).replace(/(\.d)?\.tsx?$/, '');
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) this.#say('name', path, 'a file name is kebab-case');
    if (/^(utils?|helpers?|common|misc|types|constants|shared)$/.test(name))
      this.#say('name', path, `"${name}" says nothing: a thing lives with its owner`);
  }

  #moduleOf(path: string): Module | null {
    for (const layer of this.rules.layers) {
      for (const module of layer.modules) {
        if (module === path) return { layer, root: path };
        if (module.endsWith('/*')) {
          const parent = module.slice(0, -1);
          const [folder, ...rest] = path.startsWith(parent) ? path.slice(parent.length).split('/') : [];
          if (folder !== undefined && rest.length > 0) return { layer, root: parent + folder };
        } else if (path.startsWith(`${module}/`)) return { layer, root: module };
      }
    }
    return null;
  }

  #resolve(path: string, specifier: string): string | null {
    const base = specifier.startsWith('@/')
      ? specifier.slice(2)
      : specifier.startsWith('.')
        ? posix.join(posix.dirname(path), specifier)
        : null;
    if (base === null) return null;
    const stem = base.replace(/\.js$/, '');
    const endings = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'];
    return endings.map((ending) => stem + ending).find((one) => this.#paths.has(one)) ?? null;
  }

  #import(path: string, from: Module, one: Import, target: string): void {
    const { rules } = this;
    const to = this.#moduleOf(target);
    if (!to || to.root === from.root) return;
    const at = `line ${one.line}: imports ${target}`;
    const listed = (list: readonly string[] = []) => list.includes(to.layer.name) || list.includes(to.root);
    if (to.layer === from.layer) {
      if (!from.layer.peers) this.#say('peer', path, `${at}: ${from.layer.why}`);
    } else if (listed(from.layer.types)) {
      if (one.value) this.#say('types-only', path, `${at} by value: ${from.layer.why}`);
    } else if (!listed(from.layer.may)) {
      this.#say('arrow', path, `${at}: ${from.layer.why}`);
    }
    if (to.layer.name === 'db' && !rules.database.some((pattern) => pattern.test(path)))
      this.#say('database', path, `${at}: only store.ts, the log and main.ts see the database`);
    const inner = posix.relative(to.root, target);
    if (inner !== '' && !isDoor(inner, to.layer.doors ?? ['index.ts', 'index.tsx']))
      this.#say('door', path, `${at}, which is inside ${to.root}: go through its door`);
  }

  #package(path: string, layer: Layer, one: Import): void {
    const name = one.from.replace(/^node:/, '');
    const isNode = one.from.startsWith('node:');
    const bare = name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : (name.split('/')[0] ?? name);
    if (layer.packages && !layer.packages.includes(bare))
      this.#say('package', path, `line ${one.line}: imports ${one.from}: ${layer.why}`);
    if (isNode && path.startsWith('app/') && one.value)
      this.#say('package', path, `line ${one.line}: imports ${one.from}, which no browser has`);
    const homes = this.rules.guardedPackages[bare];
    if (homes && one.value && !this.rules.programs.includes(path) && !within(path, homes))
      this.#say('machine', path, `line ${one.line}: imports ${one.from}; only ${homes.join(', ')} may`);
  }

  #vendorWords(path: string, source: Source): void {
    const own = /^server\/agents\/([^/]+)\//.exec(path)?.[1];
    if (within(path, this.rules.mayNameVendors)) return;
    for (const { text, line } of source.words) {
      const named = wordsOf(text).find((word) => this.#vendors.has(word) && word !== own);
      if (named) this.#say('vendor-name', path, `line ${line}: names "${named}" outside its folder`);
    }
  }

  #machine(path: string, source: Source): void {
    if (!path.startsWith('server/') || within(path, ['server/platform/', ...this.rules.programs])) return;
    for (const { what, line } of source.machine)
      this.#say('machine', path, `line ${line}: uses ${what}; only server/platform may`);
  }
}

const within = (path: string, places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));

const isDoor = (inner: string, doors: readonly string[]): boolean =>
  doors.some(
    (door) => door === '*' || door === inner || (door.endsWith('/*') && inner.startsWith(door.slice(0, -1))),
  );

/** "ClaudeCode", "CLAUDE_DIR" and "~/.claude/x" all hold the word "claude"; "clauded" does not. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
