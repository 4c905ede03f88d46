/* `npm run bench [name…]`: runs bench/<name>.ts one after another, alone on the machine, and prints their tables. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildStale } from './build.mjs';
import { exec, root, step, tool } from './steps.mjs';

const folder = join(root, 'bench');
const all = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.slice(0, -3))
      .sort()
  : [];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`No such benchmark: ${unknown.join(', ')}. There are: ${all.join(', ')}.\n`);
  process.exit(2);
}

await buildStale();
let ok = true;
for (const name of wanted.length > 0 ? wanted : all) {
  ok = (await step(name, () => exec(tool('tsx'), [join('bench', `${name}.ts`)]))) && ok;
}
process.exit(ok ? 0 : 1);
