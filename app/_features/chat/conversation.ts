import type { ChatItem, ChatPatch, ChatRow, ChatUpdate, LiveText } from '@/server/contract';

/** One item with its place: where it first stood in the transcript. */
interface Entry {
  item: ChatItem;
  at: number;
  offset: number;
}
type Result = Extract<ChatPatch, { type: 'result' }>;

export interface Conversation {
  status: 'loading' | 'ready' | 'not-yet' | 'unsupported' | 'unreadable';
  generation: string | null;
  from: number;
  to: number;
  start: boolean; // true: nothing comes before the first item
  entries: readonly Entry[]; // in order of time
  live: LiveText | null;
  /** How many items were put before the first since the beginning: lists keep the reader's place by it. */
  prepended: number;
}

export const LOADING: Conversation = {
  status: 'loading',
  generation: null,
  from: 0,
  to: 0,
  start: false,
  entries: [],
  live: null,
  prepended: 0,
};

/*
 * A result may come before its call is known (the call is on an earlier page). It is kept here by the call's id, in an
 * object of the conversation's own, so that states stay plain values.
 */
const waiting = new WeakMap<readonly Entry[], Map<string, Result>>();

const before = (a: { at: number; offset: number }, b: { at: number; offset: number }): boolean =>
  a.at < b.at || (a.at === b.at && a.offset < b.offset);

function withResult(item: ChatItem, found: Result): ChatItem {
  if (item.kind !== 'tool' || (found.weak && item.result)) return item;
  const ms = found.result.ms ?? (found.at !== null && item.at !== null ? found.at - item.at : null);
  return {
    ...item,
    agent: found.agent ?? item.agent,
    files: found.result.files ?? item.files,
    result: { ...found.result, ms },
  };
}

/** Some vendors give the stored item another name than what they said live; then the words tell. */
const replaces = (item: ChatItem, live: LiveText): boolean =>
  item.kind === 'reply' && (item.ref === live.ref || item.text.trim().startsWith(live.text.trim()));

/** Pure. Rows may come again and in any order of pages: an item is known by its id and a result by its call's. */
export function addRows(state: Conversation, rows: readonly ChatRow[]): Conversation {
  const entries = [...state.entries];
  const held = new Map(waiting.get(state.entries));
  const index = new Map(entries.map((entry, i) => [entry.item.id, i]));
  const first = entries[0]?.item.id;
  let live = state.live;
  // A record without a time belongs where it stands.
  let time = entries.at(-1)?.at ?? 0;
  let unsorted = false;
  for (const { offset, patches } of rows) {
    for (const patch of patches) {
      const known = index.get(patch.type === 'item' ? patch.item.id : patch.id);
      const entry = known === undefined ? undefined : entries[known];
      if (patch.type === 'result') {
        if (entry && known !== undefined) entries[known] = { ...entry, item: withResult(entry.item, patch) };
        else if (!patch.weak || !held.has(patch.id)) held.set(patch.id, patch);
        continue;
      }
      const result = held.get(patch.item.id);
      const item = result ? withResult(patch.item, result) : patch.item;
      held.delete(patch.item.id);
      if (live && replaces(item, live)) live = null;
      time = item.at ?? time;
      if (entry && known !== undefined) {
        // The same item, told better: it keeps its place and a result that only the other one had.
        const kept =
          entry.item.kind === 'tool' && item.kind === 'tool' && !item.result ? entry.item.result : null;
        entries[known] = { ...entry, item: kept && item.kind === 'tool' ? { ...item, result: kept } : item };
        continue;
      }
      const added = { item, at: time, offset };
      const last = entries.at(-1);
      if (last && before(added, last)) unsorted = true;
      index.set(item.id, entries.length);
      entries.push(added);
    }
  }
  if (unsorted) entries.sort((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : 0));
  const grown = first === undefined ? 0 : entries.findIndex((entry) => entry.item.id === first);
  waiting.set(entries, held);
  return { ...state, entries, live, prepended: state.prepended + Math.max(0, grown) };
}

/** Pure. What the host told while following. */
export function applyUpdate(state: Conversation, update: ChatUpdate): Conversation {
  switch (update.type) {
    case 'page': {
      const { page } = update;
      // A line that was cut and came back: if the pages meet, what was read so far stays.
      const meets = !update.anew && state.generation === page.generation && page.from <= state.to;
      const base = meets
        ? { ...state, to: Math.max(state.to, page.to) }
        : { ...LOADING, from: page.from, to: page.to, start: page.start, live: state.live };
      return addRows({ ...base, status: 'ready', generation: page.generation }, page.rows);
    }
    case 'rows':
      if (update.generation !== state.generation) return state;
      return addRows({ ...state, to: update.to }, update.rows);
    case 'live':
      return { ...state, live: update.live };
    case 'none':
      return { ...LOADING, status: update.why, live: state.live };
  }
}

/** Pure. An earlier page, asked for by the reader. */
export function addEarlier(
  state: Conversation,
  page: { generation: string; from: number; to: number; start: boolean; rows: readonly ChatRow[] },
): Conversation {
  if (page.generation !== state.generation || page.to !== state.from) return state;
  return addRows({ ...state, from: page.from, start: page.start }, page.rows);
}

/** Pure. The conversation, or what of it is loaded, as Markdown. */
export function asMarkdown(items: readonly ChatItem[]): string {
  const part = (item: ChatItem): string => {
    switch (item.kind) {
      case 'user':
        return `**You:**\n\n${item.text}`;
      case 'reply':
        return item.text;
      case 'tool':
        return `\`${item.name}\` ${item.object ? `\`${item.object.replaceAll('`', "'")}\`` : ''}`.trim();
      case 'notice':
        return `> ${item.text.replaceAll('\n', '\n> ')}`;
      case 'compacted':
        return '> The conversation was compacted.';
      case 'thinking':
      case 'turn-end':
      case 'cut':
        return '';
    }
  };
  return `${items.map(part).filter(Boolean).join('\n\n')}\n`;
}
