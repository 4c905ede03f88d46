import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { brief } from '../../../e2e/kit/brief';
import { images, locate, read } from './transcript';

const sample = readFileSync(new URL('./transcript.sample.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const shown = (record: unknown, nested = false) => read(record, { nested }).map(brief);

describe('what the transcript of Claude Code shows', () => {
  it('as recorded from 2.1.197', () => {
    expect(sample.flatMap((line) => shown(JSON.parse(line)))).toMatchInlineSnapshot(`
      [
        "reply # Title⏎⏎Some **bold** t",
        "user MARKDOWN please",
        "turn-end 120",
        "user RUN_BASH: echo hi; ls",
        "reply I will run a command.",
        "tool shell Bash: echo hi; ls …",
        "result ok 0 hi⏎README.md",
        "reply Done: hi",
        "turn-end 361",
        "tool edit Write: a.txt a.txt +1 -0 …",
        "user WRITE: a.txt",
        "result ok File created successfull",
        "reply Done: File created succe",
        "turn-end 354",
        "user EDIT: README.md",
        "tool edit Edit: README.md README.md +1 -1 …",
        "result failed File has not been read y",
        "reply Done: (error) <tool_use_",
        "turn-end 250",
        "user AGENT go",
        "tool agent Agent: Look around …",
        "result ok aa9aaa20cf52d041b Done: total 20⏎agentId: ",
        "reply Done: Done: total 20",
        "turn-end 613",
        "notice limit You've hit your session ",
        "turn-end 89",
        "user LIMIT",
        "user THINK about it",
        "thinking Let me think about this ",
        "reply I thought about it.",
        "turn-end 97",
        "user PLAN it",
        "reply Writing the plan.",
        "tool edit Write: /home/me/claude/plans/pl /home/me/claude/plans/plan-it-polymorphic-sparrow.md +5 -0 …",
        "result ok File created successfull",
        "reply Here is my plan.",
        "tool plan ExitPlanMode: # The plan …",
      ]
    `);
  });

  it('tells typed words from what the CLI wraps into user records', () => {
    const say = (content: unknown, more = {}) =>
      shown({ type: 'user', uuid: 'u', message: { role: 'user', content }, ...more });
    expect(say('hello')).toEqual(['user hello']);
    expect(say('secret', { isMeta: true })).toEqual([]);
    expect(say('inner', { isSidechain: true })).toEqual([]);
    expect(say('a summary', { isCompactSummary: true })).toEqual(['compacted a summary']);
    expect(say('[Request interrupted by user for tool use]')).toEqual(['notice interrupted Interrupted.']);
    expect(say('<command-name>/model</command-name>\n<command-args>opus</command-args>')).toEqual([
      'user /model opus',
    ]);
    expect(say('<bash-input>ls</bash-input>')).toEqual(['notice info ! ls']);
    expect(say('<local-command-stdout></local-command-stdout>')).toEqual([]);
    expect(say('<system-reminder>x</system-reminder>hi')).toEqual(['user hi']);
    expect(say([{ type: 'image' }, { type: 'text', text: 'look' }])).toEqual(['user look']);
  });

  it('says what came of a tool', () => {
    const came = (content: string, more: object, isError = true) =>
      shown({
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content, is_error: isError }] },
        ...more,
      });
    expect(came('Exit code 3\nno', {})).toEqual(['result failed 3 Exit code 3⏎no']);
    expect(came('The user denied this in Offdeck.', {})[0]).toMatch(/^result denied/);
    expect(came("The user doesn't want to proceed with this tool use.", {})[0]).toMatch(/^result denied/);
    expect(came('', { toolUseResult: { stdout: '', interrupted: true } }, false)[0]).toMatch(
      /^result interrupted/,
    );
    const structuredPatch = [{ oldStart: 1, newStart: 1, lines: ['-a', '+b', '+c'] }];
    const [patch] = read(
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
        toolUseResult: { filePath: '/r/a.ts', structuredPatch },
      },
      { nested: false },
    );
    expect(patch?.type === 'result' && patch.result.files).toEqual([
      { path: '/r/a.ts', diff: '@@ -1 +1 @@\n-a\n+b\n+c', added: 2, removed: 1 },
    ]);
  });

  it('gives nothing for what it does not know', () => {
    for (const record of [
      null,
      7,
      'text',
      [],
      {},
      { type: 'from-the-future', message: { content: 'x' } },
      { type: 'assistant', message: { content: [{ type: 'hologram' }] } },
      { type: 'assistant' },
      { type: 'user', message: { content: 5 } },
      undefined,
    ]) {
      expect(shown(record)).toEqual([]);
    }
  });

  it('is looked for by ids only, never by a path that came as one', async () => {
    const place = { path: '', userHome: '/nowhere', env: {}, toolEnv: {}, dir: '', cwd: '', agent: null };
    expect(await locate({ ...place, vendorSession: '../../etc/passwd' })).toBeNull();
    expect(await locate({ ...place, vendorSession: 'a', agent: '../b' })).toBeNull();
  });

  it('shows a message with images by its words, and gives the images in their order', () => {
    const picture = (data: string) => ({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data },
    });
    const message = (said: string, ...more: unknown[]) => ({
      type: 'user',
      uuid: 'u',
      message: { role: 'user', content: [{ type: 'text', text: said }, ...more] },
    });
    const both = message('[Image #1] [Image #2] what is [Image #1]?', picture('AA=='), picture('BB=='));
    expect(read(both, { nested: false })).toMatchObject([
      { item: { kind: 'user', text: 'what is [Image #1]?', images: 2 } },
    ]);
    expect(images(both)).toEqual([{ data: 'AA==' }, { data: 'BB==' }]);
    expect(read(message('[Image #1]', picture('AA==')), { nested: false })).toMatchObject([
      { item: { text: '', images: 1 } },
    ]);
    // Words of the person's that look the same, without an image, stay theirs.
    expect(read(message('[Image #1] is a mark'), { nested: false })).toMatchObject([
      { item: { text: '[Image #1] is a mark', images: 0 } },
    ]);
    for (const odd of [null, 7, { type: 'user' }, message('x', { type: 'image', source: { type: 'url' } })]) {
      expect(images(odd)).toEqual([]);
    }
  });

  it('finds a subagent by its id, or while it runs by the call that started it', async () => {
    const userHome = mkdtempSync(join(tmpdir(), 'offdeck-'));
    onTestFinished(() => rmSync(userHome, { recursive: true }));
    const folder = join(userHome, '.claude', 'projects', '-repo', 'session', 'subagents');
    mkdirSync(folder, { recursive: true });
    const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
    put('agent-broken.meta.json', '{"toolUse');
    put('agent-other.meta.json', '{"toolUseId":"toolu_2"}');
    put('agent-other.jsonl', '');
    put('agent-a1.meta.json', '{"agentType":"general-purpose","toolUseId":"toolu_1"}');
    const find = (agent: string) =>
      locate({ path: '', userHome, env: {}, toolEnv: {}, dir: '', cwd: '', vendorSession: 'session', agent });
    expect(await find('toolu_1')).toBeNull(); // it has said nothing yet
    put('agent-a1.jsonl', '');
    expect(await find('toolu_1')).toBe(join(folder, 'agent-a1.jsonl'));
    expect(await find('a1')).toBe(join(folder, 'agent-a1.jsonl'));
    expect(await find('toolu_3')).toBeNull();
  });
});
