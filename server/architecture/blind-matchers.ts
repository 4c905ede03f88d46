import { isNode, type Node, parse } from './read-source';

/** Matchers that compare by equality; vitest 4.1 finds a regular expression equal to any text in some of them. */
const EQUALITY =
  /^(toMatchObject|toEqual|toStrictEqual|toContainEqual|toHaveBeenCalledWith|objectContaining|arrayContaining)$/;

const children = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const called = (node: Node): string | null => {
  const callee = node.type === 'CallExpression' ? (node.callee as Node) : null;
  return callee?.type === 'MemberExpression' ? String((callee.property as { name?: unknown }).name) : null;
};

/** Pure. Lines on which a test compares with a bare regular expression by equality: such a test cannot fail. */
export function blindMatchers(path: string, text: string): number[] {
  const lines: number[] = [];
  const walk = (node: Node, compared: boolean): void => {
    const name = called(node);
    if (compared && node.type === 'Literal' && 'regex' in node) {
      lines.push(text.slice(0, node.start).split('\n').length);
    }
    // `expect.stringMatching(/…/)` and a call of our own take a regular expression as one.
    const inside =
      name !== null && EQUALITY.test(name) ? true : node.type === 'CallExpression' ? false : compared;
    for (const child of children(node)) walk(child, inside && child !== node.callee);
  };
  walk(parse(path, text), false);
  return lines;
}
