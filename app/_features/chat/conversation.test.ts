import { describe, expect, it } from 'vitest';
import type { ChatItem, ChatPatch, ChatRow, ToolResult } from '@/server/contract';
import { addEarlier, addRows, applyUpdate, asMarkdown, LOADING } from './conversation';

const user = (id: string, at: number): ChatPatch => ({
  type: 'item',
  item: { kind: 'user', id, at, text: id, images: 0, queued: false },
});
const reply = (id: string, at: number, ref: string | null = null): ChatPatch => ({
  type: 'item',
  item: { kind: 'reply', id, at, text: id, ref },
});
const call = (id: string, at: number, result: ToolResult | null = null): ChatPatch => ({
  type: 'item',
  item: {
    kind: 'tool',
    id,
    at,
    tool: 'shell',
    name: 'Bash',
    object: 'ls',
    input: 'ls',
    files: [],
    agent: null,
    result,
  },
});
const done = (output: string): ToolResult => ({
  outcome: 'ok',
  output,
  cut: false,
  exitCode: 0,
  ms: null,
  files: null,
});
const came = (id: string, at: number, output: string, weak = false): ChatPatch => ({
  type: 'result',
  id,
  at,
  result: done(output),
  agent: null,
  weak,
});
const rows = (...patches: ChatPatch[]): ChatRow[] =>
  patches.map((patch, i) => ({ offset: i, patches: [patch] }));
const ids = (state: { entries: readonly { item: ChatItem }[] }) =>
  state.entries.map((entry) => entry.item.id);
const tool = (state: { entries: readonly { item: ChatItem }[] }, id: string) =>
  state.entries.find((entry) => entry.item.id === id)?.item as Extract<ChatItem, { kind: 'tool' }>;

describe('a conversation', () => {
  it('is in order of time, whatever the order of the file', () => {
    expect(ids(addRows(LOADING, rows(reply('answer', 20), user('question', 10), reply('end', 30))))).toEqual([
      'question',
      'answer',
      'end',
    ]);
  });

  it('shows a record twice read once, and joins a result with its call in either order', () => {
    const once = rows(user('u', 1), call('c', 2), came('c', 1_002, 'out'));
    const state = addRows(addRows(LOADING, once), once);
    expect(ids(state)).toEqual(['u', 'c']);
    expect(tool(state, 'c').result).toMatchObject({ output: 'out', ms: 1_000 });
    const late = addRows(addRows(LOADING, rows(came('c', 1_002, 'out'))), rows(call('c', 2)));
    expect(tool(late, 'c').result?.output).toBe('out');
  });

  it('lets a weak result fill a gap and never replace a full one', () => {
    const full = addRows(LOADING, rows(call('c', 1), call('c', 1, done('full')), came('c', 3, 'weak', true)));
    expect(tool(full, 'c').result?.output).toBe('full');
    const gap = addRows(LOADING, rows(call('c', 1), came('c', 3, 'weak', true)));
    expect(tool(gap, 'c').result?.output).toBe('weak');
  });

  it('puts earlier pages before, counts them, and refuses a page that does not fit', () => {
    const page = { generation: 'g', from: 100, to: 200, start: false, rows: rows(user('b', 20)) };
    const state = applyUpdate(LOADING, { type: 'page', page, anew: false });
    const more = addEarlier(state, {
      generation: 'g',
      from: 0,
      to: 100,
      start: true,
      rows: rows(user('a', 10)),
    });
    expect([ids(more), more.prepended, more.start, more.from]).toEqual([['a', 'b'], 1, true, 0]);
    expect(addEarlier(state, { ...page, from: 0, to: 90 })).toBe(state);
    expect(addEarlier(state, { ...page, generation: 'h', to: 100 })).toBe(state);
  });

  it('keeps what was read when the line comes back, unless there is a gap or another file', () => {
    const page = (generation: string, from: number, id: string, anew = false) =>
      ({
        type: 'page',
        anew,
        page: { generation, from, to: from + 100, start: from === 0, rows: rows(user(id, from)) },
      }) as const;
    const state = applyUpdate(LOADING, page('g', 0, 'a'));
    expect(ids(applyUpdate(state, page('g', 100, 'b')))).toEqual(['a', 'b']);
    expect(ids(applyUpdate(state, page('g', 101, 'b')))).toEqual(['b']);
    expect(ids(applyUpdate(state, page('h', 0, 'c')))).toEqual(['c']);
    expect(ids(applyUpdate(state, page('g', 0, 'c', true)))).toEqual(['c']);
    const rowsOf = { type: 'rows', generation: 'other', to: 9, rows: rows(user('x', 1)) } as const;
    expect(applyUpdate(state, rowsOf)).toBe(state);
  });

  it('gives live text up for the stored item that it became, and for no other', () => {
    const live = applyUpdate(applyUpdate(LOADING, { type: 'none', why: 'not-yet' }), {
      type: 'live',
      live: { ref: 'm1', text: 'so far' },
    });
    expect(addRows(live, rows(reply('a', 1, 'm0'))).live?.text).toBe('so far');
    expect(addRows(live, rows(reply('a', 1, 'm1'))).live).toBeNull();
    expect(addRows(live, rows(reply('so far and more', 1, 'm0'))).live).toBeNull();
  });

  it('is copied as Markdown', () => {
    const items = addRows(LOADING, rows(user('hi', 1), reply('**yes**', 2), call('c', 3))).entries;
    expect(asMarkdown(items.map((entry) => entry.item))).toBe('**You:**\n\nhi\n\n**yes**\n\n`Bash` `ls`\n');
  });
});
