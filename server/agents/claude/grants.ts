import { z } from 'zod';
import type { NeedForm } from '../../contract';

/** What the CLI itself would offer beside "yes" (`permission_suggestions`, 2.1.197). Of these only rules are offered. */
const Suggestion = z.object({
  type: z.literal('addRules'),
  behavior: z.literal('allow'),
  rules: z.array(z.object({ toolName: z.string(), ruleContent: z.string().nullish() })).min(1),
});
type Suggestion = z.infer<typeof Suggestion>;

const ruleText = ({ rules }: Suggestion): string =>
  rules
    .map((rule) => (rule.ruleContent ? `${rule.toolName}(${rule.ruleContent})` : rule.toolName))
    .join(', ');

function suggestionsOf(raw: readonly unknown[] | null | undefined): Suggestion[] {
  const found = (raw ?? []).flatMap((one) => Suggestion.safeParse(one).data ?? []);
  const seen = new Set<string>();
  return found.filter((one) => {
    const text = ruleText(one);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

/** Pure. The rules a person may let hold from now on, or null for none. */
export function grantsOf(raw: readonly unknown[] | null | undefined): NeedForm | null {
  const grants = suggestionsOf(raw).map((one) => ({
    id: ruleText(one),
    rule: ruleText(one),
    holds: 'until this session ends',
  }));
  return grants.length > 0 ? { type: 'approval', grants } : null;
}

/**
 * Pure. The update for one of those rules. Always for the session: the CLI's own suggestion would write into a settings
 * file of the repository, which is not ours to change.
 */
export function updateFor(raw: readonly unknown[] | null | undefined, id: string): unknown[] {
  return suggestionsOf(raw)
    .filter((one) => ruleText(one) === id)
    .map((one) => ({ ...one, destination: 'session' }));
}
