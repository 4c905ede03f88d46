import { describe, expect, it } from 'vitest';
import { createFileSearch, MAX_FOUND } from './search';

const search = (files: readonly string[], clock = { now: 0 }) => {
  const calls = { count: 0 };
  const made = createFileSearch({
    list: async () => {
      calls.count++;
      return [...files];
    },
    mono: () => clock.now,
  });
  return { ...made, calls, clock };
};

describe('a search for files', () => {
  const files = ['README.md', 'src/app.ts', 'src/deep/retry-policy.ts', 'src/deep/other.ts', 'docs/retry.md'];

  it('finds by some letters of the path, the best first, folders too', async () => {
    const { find } = search(files);
    expect((await find('p', 'retpol')).paths).toEqual(['src/deep/retry-policy.ts']);
    expect((await find('p', 'retry')).paths[0]).toBe('docs/retry.md');
    expect((await find('p', 'deep')).paths).toContain('src/deep/');
    expect((await find('p', 'SRC APP')).paths[0]).toBe('src/app.ts');
    expect(await find('p', 'nothing like it')).toEqual({ paths: [], more: false });
  });

  it('shows what lies at the top for no letters, folders first', async () => {
    expect((await search(files).find('p', ' ')).paths).toEqual(['docs/', 'src/', 'README.md']);
  });

  it('asks for the list once in a burst, again when it is old, and at once after a failure', async () => {
    const { find, calls, clock } = search(files);
    await Promise.all([find('p', 'a'), find('p', 'ap'), find('p', 'app')]);
    expect(calls.count).toBe(1);
    clock.now = 6_000;
    await find('p', 'app');
    expect(calls.count).toBe(2);
    let fails = true;
    const other = createFileSearch({
      list: async () => (fails ? Promise.reject(new Error('no')) : ['x']),
      mono: () => 0,
    });
    await expect(other.find('p', 'x')).rejects.toThrow('no');
    fails = false;
    expect((await other.find('p', 'x')).paths).toEqual(['x']);
  });

  it('finds in 200,000 files without holding the host up, and says that there are more', async () => {
    const many = Array.from({ length: 200_000 }, (_, i) => `pkg${i % 500}/lib/module-${i}/index-${i}.ts`);
    const { find } = search([...many, 'server/agents/claude/run.ts']);
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const found = await find('p', 'clauderun');
    clearInterval(count);
    expect(found.paths).toEqual(['server/agents/claude/run.ts']);
    expect(turns).toBeGreaterThan(10); // others had their turn in between
    const all = await find('p', 'index');
    expect([all.paths.length, all.more]).toEqual([MAX_FOUND, true]);
  });
});
