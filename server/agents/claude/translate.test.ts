import { describe, expect, it } from 'vitest';
import { activityLine, describeRequest, failure, quotaOf, recapOf } from './translate';
import { Hook, StatusLine } from './wire';

describe('what Claude Code asks, as a person reads it', () => {
  it('shows a command whole, with the reason', () => {
    expect(describeRequest('Bash', { command: 'a\nb', description: 'why' })).toMatchObject({
      kind: 'command',
      body: 'a\nb',
      why: 'why',
      answerable: true,
    });
  });

  it('says what else a command would be allowed, and hides no part of an input', () => {
    const more = { command: 'ls', dangerouslyDisableSandbox: true, run_in_background: true, timeout: 5 };
    expect(describeRequest('Bash', more)).toMatchObject({
      title: 'Wants to run a command outside its sandbox in the background',
      body: 'ls',
    });
    expect(describeRequest('Bash', { command: 'ls', as_root: true }).body).toBe(
      'ls\n\nAlso: {\n  "as_root": true\n}',
    );
    const edits = { Write: { content: 'x' }, Edit: { old_string: 'a', new_string: 'b', replace_all: false } };
    for (const [tool, input] of Object.entries(edits)) {
      expect(describeRequest(tool, { file_path: '/x', ...input }).body).not.toContain('Also');
      expect(describeRequest(tool, { file_path: '/x', ...input, mode: 511 }).body).toContain('"mode": 511');
    }
  });

  it('shows the whole change of a file', () => {
    expect(describeRequest('Edit', { file_path: '/x', old_string: 'a\nb', new_string: 'c' }).body).toBe(
      '/x\n-a\n-b\n+c',
    );
    expect(describeRequest('Edit', { file_path: '/x', replace_all: true }).body).toContain(
      'every occurrence',
    );
    expect(describeRequest('Write', { file_path: '/x', content: '1\n2' }).body).toBe('/x\n+1\n+2');
  });

  it('never offers an answer to what it cannot answer', () => {
    // Answers go back by the question's own words, so those must be there and be told apart.
    for (const questions of [undefined, [], [{}], [{ question: 'Which?' }, { question: 'Which?' }]]) {
      expect(describeRequest('AskUserQuestion', { questions }).answerable).toBe(false);
    }
    expect(describeRequest('AskUserQuestion', { questions: [{ question: 'Which?' }] })).toMatchObject({
      body: 'Which?',
      answerable: true,
      form: { type: 'questions', questions: [{ id: 'Which?', multi: false, free: true, options: [] }] },
    });
    expect(describeRequest('ExitPlanMode', {})).toMatchObject({ kind: 'plan', answerable: false });
    const plan = describeRequest('ExitPlanMode', { plan: 'do it' });
    expect(plan).toMatchObject({ kind: 'plan', answerable: true });
    // A mode that never asks is not offered on a button beside "approve".
    expect(JSON.stringify(plan.form)).not.toContain('bypass');
  });

  it('shows all of an unknown tool’s input', () => {
    const request = describeRequest('mcp__x__y', { deep: { value: 1 } });
    expect(JSON.parse(request.body)).toEqual({ deep: { value: 1 } });
  });
});

describe('what its signals mean', () => {
  it('tells a limit, a sign-out and an error apart', () => {
    const of = (error: string) => failure(Hook.parse({ error, last_assistant_message: 'said\nmore' }));
    expect(of('rate_limit')).toEqual({ state: 'limit', reason: 'said' });
    expect(of('authentication_failed').state).toBe('signed-out');
    expect(of('server_error').state).toBe('error');
  });

  it('reads limits only when the status line has them', () => {
    const some = StatusLine.parse({ rate_limits: { five_hour: { used_percentage: 38, resets_at: 10 } } });
    expect(quotaOf(some, 1)).toEqual({
      windows: [{ label: '5 hours', usedPct: 38, resetsAt: 10_000 }],
      at: 1,
      source: 'status line',
    });
    expect(quotaOf(StatusLine.parse({ model: null }), 1)).toBeNull();
  });

  it('names a tool in one line and a recap in one', () => {
    expect(activityLine('Bash', { command: 'npm test\nrm x' })).toBe('Bash npm test');
    expect(activityLine('Edit', { file_path: 'src/a.ts' })).toBe('Edit src/a.ts');
    expect(recapOf('\n\nFirst.\nSecond.')).toBe('First.');
  });
});
