import { parseAst } from 'vitest/node';

export interface Import {
  from: string; // the specifier as written
  value: boolean; // false: types only, gone after compilation
  line: number;
}

/** What the judge needs to know of one source file. */
export interface Source {
  imports: Import[];
  stars: number[]; // lines of `export *`
  words: { text: string; line: number }[]; // identifiers and text a program can see; comments are free
  machine: { what: string; line: number }[]; // direct uses of the environment and the clock
}

export interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

export const parse = (path: string, text: string): Node =>
  parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node;

/** Reads a file with a real parser, so a comment, a string or a line break cannot hide an import. */
export function readSource(path: string, text: string): Source {
  const source: Source = { imports: [], stars: [], words: [], machine: [] };
  const lineOf = lineFinder(text);
  const program = parse(path, text);
  const visit = (node: Node): void => {
    note(node, source, lineOf(node.start));
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const child of value) isNode(child) && visit(child);
      else if (isNode(value)) visit(value);
    }
  };
  visit(program);
  return source;
}

function note(node: Node, source: Source, line: number): void {
  const found = importOf(node);
  if (found && isNode(found.from) && typeof found.from.value === 'string')
    source.imports.push({ from: found.from.value, value: found.value, line });
  if (node.type === 'ExportAllDeclaration') source.stars.push(line);
  const text = textOf(node);
  if (text !== null) source.words.push({ text, line });
  const what = machineUse(node);
  if (what !== null) source.machine.push({ what, line });
}

/** Every way one file can reach another. */
function importOf(node: Node): { from: unknown; value: boolean } | null {
  switch (node.type) {
    case 'ImportDeclaration':
      return { from: node.source, value: carriesValue(node, 'importKind') };
    case 'ExportNamedDeclaration':
      return { from: node.source, value: carriesValue(node, 'exportKind') };
    case 'ExportAllDeclaration':
      return { from: node.source, value: node.exportKind !== 'type' };
    case 'ImportExpression':
      return { from: node.source, value: true };
    case 'TSImportType':
      return { from: node.source ?? node.argument, value: false };
    case 'TSExternalModuleReference':
      return { from: node.expression, value: true };
    case 'CallExpression':
      return isName(node.callee, 'require') ? { from: (node.arguments as unknown[])[0], value: true } : null;
    default:
      return null;
  }
}

/** What a program or a person can see of a node: names and text. */
function textOf(node: Node): string | null {
  switch (node.type) {
    case 'Identifier':
    case 'PrivateIdentifier':
    case 'JSXIdentifier':
      return node.name as string;
    case 'Literal':
    case 'JSXText':
      return typeof node.value === 'string' ? node.value : null;
    case 'TemplateElement':
      return (node.value as { raw: string }).raw;
    default:
      return null;
  }
}

/** `import './x'` runs the file; `import { type A }` alone does not. */
function carriesValue(node: Node, kind: 'importKind' | 'exportKind'): boolean {
  if (node[kind] === 'type') return false;
  const specifiers = node.specifiers as Node[];
  return specifiers.length === 0 || specifiers.some((one) => one[kind] !== 'type');
}

const isName = (value: unknown, name: string): boolean =>
  isNode(value) && value.type === 'Identifier' && value.name === name;

const isMember = (node: Node, object: string, property: string): boolean =>
  node.type === 'MemberExpression' &&
  isName(node.object, object) &&
  (isName(node.property, property) || (isNode(node.property) && node.property.value === property));

/** A direct use of the environment or the clock, by its name. */
function machineUse(node: Node): string | null {
  if (isMember(node, 'process', 'env')) return 'process.env';
  if (isMember(node, 'Date', 'now')) return 'Date.now';
  if (node.type === 'NewExpression' && isName(node.callee, 'Date') && !(node.arguments as unknown[]).length)
    return 'new Date()';
  const takesApart = isNode(node.id) && node.id.type === 'ObjectPattern';
  return node.type === 'VariableDeclarator' && takesApart && isName(node.init, 'process')
    ? 'process, taken apart'
    : null;
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
