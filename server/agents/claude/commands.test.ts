import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commands } from './commands';

const root = mkdtempSync(join(tmpdir(), 'offdeck-commands-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const file = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const found = () =>
  commands({
    path: '',
    userHome: join(root, 'home'),
    env: {},
    toolEnv: {},
    cwd: join(root, 'repo'),
  });

describe('the commands of Claude Code', () => {
  it('are its own, and those of files and skills, with what their heads say', async () => {
    file(
      'repo/.claude/commands/front/widget.md',
      '---\ndescription: >\n  Makes a\n  widget\nargument-hint: [name]\n---\nHello $ARGUMENTS',
    );
    file('repo/.claude/commands/plain.md', 'Do the thing\nwell');
    file('repo/.claude/skills/tidy/SKILL.md', '---\nname: other\ndescription: Tidies\n---\n');
    file('repo/.claude/skills/hidden/SKILL.md', '---\nuser-invocable: false\n---\n');
    file('home/.claude/commands/mine.md', '---\ndescription: Mine\n---\nWith $1');
    file('home/.claude/commands/plain.md', 'Mine too');
    const list = await found();
    const named = (name: string) => list.filter((one) => one.name === name);
    expect(named('compact')).toMatchObject([{ from: 'cli', takes: '[what to keep]' }]);
    expect(named('front:widget')).toEqual([
      { name: 'front:widget', hint: 'Makes a widget', takes: '[name]', from: 'project' },
    ]);
    expect(named('plain')).toEqual([{ name: 'plain', hint: 'Do the thing', takes: null, from: 'project' }]);
    expect(named('tidy')).toEqual([{ name: 'tidy', hint: 'Tidies', takes: null, from: 'project' }]);
    expect(named('mine')).toEqual([{ name: 'mine', hint: 'Mine', takes: '[words]', from: 'user' }]);
    expect(named('hidden')).toEqual([]);
  });

  it('are found whatever a repository puts in their place', async () => {
    file('repo/.claude/commands/broken.md', '---\ndescription: [unclosed\n---\nStill works');
    file('repo/.claude/commands/bomb.md', `---\na: &a [x]\ndescription: *a\n---\nBomb`);
    file('repo/.claude/commands/compact.md', 'Not the real one');
    file('repo/.claude/commands/with space.md', 'No');
    file('repo/.claude/commands/$(touch x).md', 'No');
    file('repo/.claude/commands/large.md', 'x'.repeat(100_000));
    symlinkSync('/etc/passwd', join(root, 'repo/.claude/commands/link.md'));
    const list = await found();
    expect(list.filter(({ name }) => name === 'compact')).toMatchObject([{ from: 'cli' }]);
    expect(list.find(({ name }) => name === 'broken')?.hint).toBe('Still works');
    expect(list.find(({ name }) => name === 'bomb')?.hint).toBe('Bomb');
    expect(list.map(({ name }) => name)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/space|touch|large|link/)]),
    );
    for (const { name } of list) expect(name).toMatch(/^[A-Za-z0-9][\w:.-]*$/);
  });
});
