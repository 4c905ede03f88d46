/**
 * The language of the scripted agent: one step a line. Anything that is no step is answered with an echo, so that a
 * prompt typed by a person does something sensible.
 */
export type Step =
  | { do: 'say'; text: string }
  | { do: 'talk'; ms: number; text: string } // word by word
  | { do: 'asked'; text: string } // what the record shows as the person's words, instead of the script
  | { do: 'did'; kind: string; object: string; output: string[] } // shows an act that is only told
  | { do: 'think'; ms: number }
  | { do: 'run'; command: string } // without asking
  | { do: 'ask'; command: string } // asks, then runs
  | { do: 'edit'; path: string; text: string } // asks, then writes
  | { do: 'question'; text: string; options: string[] }
  | { do: 'activity'; text: string }
  | { do: 'recap'; text: string }
  | { do: 'context'; pct: number }
  | { do: 'limit'; minutes: number }
  | { do: 'background'; ms: number; text: string }
  | { do: 'fail'; text: string }
  | { do: 'sign-out' }
  | { do: 'exit'; code: number };

const number = (text: string, fallback: number): number => {
  const value = Number.parseFloat(text);
  return Number.isFinite(value) ? value : fallback;
};

/** Pure. `ms` values are taken as written, so tests stay fast and the demo can be slow. */
export function parseScript(prompt: string): Step[] {
  const steps: Step[] = [];
  const greeted = /^\/greet(?:\s+(.*))?$/s.exec(prompt)?.[1];
  if (greeted !== undefined) return [{ do: 'say', text: `Hello ${greeted.trim()}` }];
  for (const line of prompt.split('\n')) {
    const match = /^\s*([a-z-]+)(?::|\s|$)\s*(.*)$/.exec(line);
    const rest = match?.[2] ?? '';
    switch (match?.[1]) {
      case 'say':
        steps.push({ do: 'say', text: rest });
        break;
      case 'talk': {
        const [ms = '1000', ...words] = rest.split(' ');
        steps.push({ do: 'talk', ms: number(ms, 1000), text: words.join(' ') });
        break;
      }
      case 'asked':
        steps.push({ do: 'asked', text: rest });
        break;
      case 'did': {
        const [act = '', output = ''] = rest.split(' => ');
        const [kind = 'other', ...object] = act.split(' ');
        steps.push({ do: 'did', kind, object: object.join(' '), output: output ? output.split(' ¶ ') : [] });
        break;
      }
      case 'think':
        steps.push({ do: 'think', ms: number(rest, 500) });
        break;
      case 'run':
        steps.push({ do: 'run', command: rest });
        break;
      case 'ask':
        steps.push({ do: 'ask', command: rest });
        break;
      case 'edit': {
        const [path = 'notes.txt', ...words] = rest.split(' ');
        steps.push({ do: 'edit', path, text: words.join(' ') });
        break;
      }
      case 'question':
        {
          const [text = '', options = ''] = rest.split(' => ');
          steps.push({ do: 'question', text, options: options ? options.split(' ¶ ') : [] });
        }
        break;
      case 'activity':
        steps.push({ do: 'activity', text: rest });
        break;
      case 'recap':
        steps.push({ do: 'recap', text: rest });
        break;
      case 'context':
        steps.push({ do: 'context', pct: number(rest, 0) });
        break;
      case 'limit':
        steps.push({ do: 'limit', minutes: number(rest, 30) });
        break;
      case 'background': {
        const [ms = '1000', ...words] = rest.split(' ');
        steps.push({ do: 'background', ms: number(ms, 1000), text: words.join(' ') || 'background job' });
        break;
      }
      case 'fail':
        steps.push({ do: 'fail', text: rest });
        break;
      case 'sign-out':
        steps.push({ do: 'sign-out' });
        break;
      case 'exit':
        steps.push({ do: 'exit', code: number(rest, 0) });
        break;
      default:
        if (line.trim()) steps.push({ do: 'say', text: `You said: ${line.trim()}` });
    }
  }
  return steps;
}
