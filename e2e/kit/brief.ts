import type { ChatPatch } from '../../server/contract';

/** One line for each thing a record shows; long texts by their beginning. */
export function brief(patch: ChatPatch): string {
  const short = (text: string) => text.slice(0, 24).replaceAll('\n', '⏎');
  if (patch.type === 'result') {
    const { outcome, exitCode, output, files } = patch.result;
    const parts = [
      patch.weak ? 'weak' : '',
      outcome,
      exitCode,
      patch.agent,
      files?.map((file) => file.path).join(),
    ];
    return ['result', ...parts.filter((part) => part != null && part !== ''), short(output)].join(' ');
  }
  const { item } = patch;
  switch (item.kind) {
    case 'tool': {
      const files = item.files.map((file) => `${file.path} +${file.added} -${file.removed}`).join();
      const result = item.result ? `${item.result.outcome} ${item.result.exitCode ?? ''}` : '…';
      return [item.kind, item.tool, `${item.name}:`, short(item.object), files, result]
        .filter(Boolean)
        .join(' ')
        .trim();
    }
    case 'notice':
      return `notice ${item.tone} ${short(item.text)}`;
    case 'turn-end':
      return `turn-end ${item.ms}`;
    case 'compacted':
      return `compacted ${short(item.summary)}`;
    case 'cut':
      return 'cut';
    default:
      return `${item.kind} ${short(item.text)}`;
  }
}
