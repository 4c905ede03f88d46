import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { OutgoingMessage } from '../server/agents/port';
import type { ChatItem } from '../server/contract';
import { ROOT, until } from './kit/host';
import { type Running, VENDORS, VendorBed } from './kit/vendor-bed';

/*
 * What `agents/port.ts` promises, asked of every vendor alike: the real CLIs against loopback models, and the scripted
 * agent. A vendor that cannot do a thing says so in its manifest and is not asked for it.
 */

/** Every file below `folder` with its time and size, for "nothing here was touched". */
function filesOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const full = join(path, entry.name);
      if (entry.isDirectory()) walk(full);
      else if (entry.isFile()) {
        const { mtimeMs, size } = statSync(full);
        found[full.slice(folder.length + 1)] = `${mtimeMs} ${size}`;
      }
    }
  };
  walk(folder);
  return found;
}

const asks = (of: Running) =>
  until(
    'it asks',
    () => of.of('asked').at(-1) && of.state() === 'needs-you' && of.of('asked').at(-1),
    60_000,
  );
/** Hands a message over as the host does: what is refused while a turn is just ending is tried again. */
const hand = (of: Running, message: OutgoingMessage, typed: () => void = () => {}) =>
  until('it is taken', async () => {
    const result = await of.run.prompt(message, typed);
    return result.outcome !== 'not-now' && result;
  });
type Reply = Extract<ChatItem, { kind: 'reply' }>;
const ends = (of: Running) => until('the turn ends', () => of.state() === 'finished', 60_000);

for (const name of VENDORS) {
  test.describe(`the port, by ${name}`, () => {
    let bed: VendorBed;
    test.beforeEach(async () => {
      bed = await new VendorBed(name).start();
    });
    test.afterEach(() => bed.dispose());

    test('is found with its version, and its absence is an answer and no error', async () => {
      const here = bed.input();
      expect(bed.vendor.find(here)).toMatchObject({ path: expect.stringMatching(/^\//), problem: null });
      expect(await bed.vendor.detect(here)).toMatchObject({
        vendor: name,
        path: expect.stringMatching(/^\//),
        version: expect.stringMatching(/\d/),
        problem: null,
      });
      if (name === 'scripted') return; // it is a part of the build and not looked for
      const nowhere = { ...here, path: '/nonexistent' };
      expect(bed.vendor.find(nowhere)).toEqual({ path: null, problem: null });
      expect(await bed.vendor.detect(nowhere)).toMatchObject({ path: null, version: null });
      await expect(bed.vendor.launch(nowhere)).rejects.toMatchObject({ code: 'missing-tool' });
    });

    test('writes nothing of its own outside the session’s folder, and starts an absolute program', async () => {
      const input = bed.input({ prompt: 'hello' });
      const before = { home: filesOf(input.userHome), cwd: filesOf(input.cwd) };
      const plan = await bed.vendor.launch(input);
      expect(isAbsolute(plan.argv[0] ?? '')).toBe(true);
      expect({ home: filesOf(input.userHome), cwd: filesOf(input.cwd) }).toEqual(before);
      for (const [path, stat] of Object.entries(filesOf(input.dir))) {
        expect(statSync(join(input.dir, path)).mode & 0o077, `${path} ${stat}`).toBe(0);
      }
    });

    test('takes the first prompt once, works, finishes, and its record shows what was said', async () => {
      const of = await bed.begin({ prompt: 'just hello' });
      await ends(of);
      const states = of.of('state').map((event) => event.state);
      expect(states.indexOf('working')).toBeGreaterThanOrEqual(0);
      expect(states.lastIndexOf('finished')).toBeGreaterThan(states.indexOf('working'));
      expect(of.of('prompt-accepted').length).toBe(1);
      expect(of.of('asked')).toEqual([]);
      if (!bed.vendor.manifest.capabilities.chats) return;
      const shown = await until('both are on record', async () => {
        const items = await bed.shown(of);
        return items.some((item) => item.kind === 'reply') && items;
      });
      expect(shown.filter((item) => item.kind === 'user').map((item) => item.text)).toEqual(['just hello']);
    });

    for (const prompt of [
      '! not a shell line',
      '/nothing of the kind',
      '-- no option',
      '# no memory',
      'quotes " \' ` and $HOME\nsecond line é 漢字 👩\n  third, ends in \\',
    ]) {
      test(`takes ${JSON.stringify(prompt.slice(0, 12))}… for text`, async () => {
        const of = await bed.begin({ prompt });
        await ends(of);
        // In JSON, as both the models' logs and the scripted agent's record are; a space before it is allowed.
        const wanted = JSON.stringify(prompt.trim()).slice(1, -1);
        expect(bed.heard(of)).toContain(wanted);
      });
    }

    test('a message that ends in a file’s name is sent, and the name is the one that was written', async () => {
      bed.write('notes.txt', 'the notes');
      const of = await bed.begin({ prompt: 'just hello' });
      await ends(of);
      // A list pops up behind such a word in some CLIs, and Enter would choose from it instead of sending.
      for (const text of ['please read @notes', '@notes.txt']) {
        expect(await hand(of, { id: `names${text.length}`, text })).toEqual({ outcome: 'accepted' });
        await until('heard', () => bed.heard(of).includes(text));
        await ends(of);
      }
      const said = (await bed.shown(of)).flatMap((item) => (item.kind === 'user' ? [item.text.trim()] : []));
      expect(said).toEqual(['just hello', 'please read @notes', '@notes.txt']);
    });

    test('takes images before the words or alone; the words stay words, and the record has the images', async () => {
      const of = await bed.begin({ prompt: 'just hello' });
      await ends(of);
      const folder = join(of.input.dir, 'images and more');
      mkdirSync(folder);
      const [one, two] = ['icon-192.png', 'icon-512.png'].map((name) => {
        copyFileSync(join(ROOT, 'public', name), join(folder, name));
        return join(folder, name);
      }) as [string, string];
      for (const [text, images] of [
        ['look at both', [one, two]],
        ['', [one]],
        ['! is no shell line', [two]],
      ] as const) {
        const id = `images${images.length}${text.length}`;
        expect(await hand(of, { id, text, images })).toEqual({ outcome: 'accepted' });
        await until('heard', () => bed.heard(of).includes(text));
        await ends(of);
      }
      const said = (await bed.shown(of)).flatMap((item) =>
        item.kind === 'user' ? [[item.text.trim(), item.images]] : [],
      );
      expect(said).toEqual([
        ['just hello', 0],
        ['look at both', 2],
        ['', 1],
        ['! is no shell line', 1],
      ]);
      expect(bed.heard(of)).toContain(readFileSync(one).toString('base64'));
      const images = await bed.images(of);
      expect(images.map((image) => ('path' in image ? image.path : image.data.slice(0, 8)))).toEqual(
        images[0] && 'path' in images[0] ? [one, two, one, two] : Array(4).fill('iVBORw0K'),
      );
    });

    test('a command of its own runs when it is sent as one, and shows in the conversation', async () => {
      const commands = await bed.vendor.commands(bed.input());
      expect(commands.length).toBeGreaterThan(0);
      const { name: first = '' } = commands[0] ?? {};
      const of = await bed.begin({ prompt: 'just hello' });
      await ends(of);
      let typed = 0;
      const text = `/${first}`;
      const { outcome } = await hand(of, { id: 'command', text, command: true }, () => typed++);
      // Where the channel says nothing, the record is the evidence.
      expect(['accepted', 'unsure']).toContain(outcome);
      expect(typed).toBe(1);
      await until('it shows', async () =>
        (await bed.shown(of)).some(
          (item) => item.kind === 'compacted' || (item.kind === 'user' && item.text === text),
        ),
      );
      expect(await hand(of, { id: 'after', text: 'and on it goes' })).toEqual({ outcome: 'accepted' });
    });

    test('asks with the whole command, runs it once when allowed, and says who settled it', async () => {
      const command = 'echo "one  two" >> ran.txt';
      const of = await bed.begin({ prompt: bed.words.ask(command) });
      const asked = await asks(of);
      expect(asked).toMatchObject({ kind: 'command', answerable: true });
      expect(asked.body).toContain(command);
      expect(bed.read('ran.txt')).toBeNull();
      expect(await of.run.answer('no such request', 'allow', '')).toBe('gone');
      expect(await of.run.answer(asked.vendorRef, 'allow', '')).toBe('taken');
      expect(await of.run.answer(asked.vendorRef, 'allow', '')).toBe('gone');
      expect(await of.run.answer(asked.vendorRef, 'deny', 'no')).toBe('gone');
      await ends(of);
      expect(bed.read('ran.txt')).toBe('one  two\n');
      const settled = of.of('settled').filter((event) => event.vendorRef === asked.vendorRef);
      expect(settled.map((event) => event.how)).toEqual(['confirmed']);
    });

    test('a denial is the model’s to hear, and nothing runs', async () => {
      const of = await bed.begin({ prompt: bed.words.ask('touch never.txt') });
      const asked = await asks(of);
      expect(await of.run.answer(asked.vendorRef, 'deny', 'The user denied this in Offdeck.')).toBe('taken');
      await ends(of);
      expect(bed.read('never.txt')).toBeNull();
      expect(bed.heard(of)).toMatch(/denied|rejected/);
    });

    test('an observer that goes leaves the CLI and its question; the next one can answer it', async () => {
      const of = await bed.begin({ prompt: bed.words.ask('echo x >> later.txt') });
      const asked = await asks(of);
      await of.run.close();
      const said = of.events.length;
      expect(await of.run.answer(asked.vendorRef, 'allow', '')).toBe('gone');
      const next = await of.again();
      const again = await asks(next);
      expect(again.body).toBe(asked.body);
      expect(bed.read('later.txt')).toBeNull();
      expect(await next.run.answer(again.vendorRef, 'allow', '')).toBe('taken');
      await ends(next);
      expect(bed.read('later.txt')).toBe('x\n');
      expect(of.events.length).toBe(said); // a closed run says nothing
      expect(await bed.alive(next)).toBe(true);
    });

    test('an interruption ends a turn', async () => {
      const of = await bed.begin({ prompt: bed.words.long });
      await until('it works', () => of.state() === 'working', 60_000);
      await until('it is interrupted', async () => {
        if (of.state() === 'idle') return true;
        await of.run.interrupt().catch(() => {}); // it may not have begun so far that it can be stopped
        return false;
      });
      expect(await bed.alive(of)).toBe(true);
    });

    test('an interruption never says yes to an open question', async () => {
      const of = await bed.begin({ prompt: bed.words.ask('touch yes.txt') });
      await asks(of);
      await of.run.interrupt().catch(() => {});
      const other = await bed.begin({ prompt: 'hello' }); // time for the first to act on it, if it would
      await ends(other);
      expect(bed.read('yes.txt')).toBeNull();
    });

    test('takes messages as text one after another, says so, and refuses while a question is open', async () => {
      const of = await bed.begin({ prompt: 'hello' });
      await ends(of);
      const long = Array.from({ length: 130 }, (_, i) => `line ${i} of a long message with words in it`).join(
        '\n',
      );
      for (const [i, text] of ['! no shell line', 'two\nlines é 👩', 'ends in \\', long].entries()) {
        let typed = 0;
        const before = of.of('state').filter((event) => event.state === 'finished').length;
        const result = await of.run.prompt({ id: `message${i}`, text }, () => typed++);
        expect([result, typed], text.slice(0, 20)).toEqual([{ outcome: 'accepted' }, 1]);
        await until(
          'its turn ends',
          () =>
            of.of('state').filter((event) => event.state === 'finished').length > before &&
            of.state() === 'finished',
          60_000,
        );
        expect(bed.heard(of)).toContain(JSON.stringify(text.trim()).slice(1, -1));
      }
      const heard = bed.heard(of).length;
      expect(await of.run.prompt({ id: 'asking', text: bed.words.ask('touch typed.txt') }, () => {})).toEqual(
        {
          outcome: 'accepted',
        },
      );
      const asked = await asks(of);
      let typed = 0;
      const refused = await of.run.prompt({ id: 'late', text: 'y' }, () => typed++);
      expect([refused.outcome, typed, bed.read('typed.txt')]).toEqual(['not-now', 0, null]);
      await of.run.answer(asked.vendorRef, 'deny', 'no');
      await ends(of);
      expect(bed.heard(of).length).toBeGreaterThan(heard);
    });

    test('says what it is saying before it is on record, and then no more', async () => {
      const of = await bed.begin({
        prompt: name === 'scripted' ? 'talk 1500 some words one by one' : 'LONG: 2',
      });
      await ends(of);
      const live = of.of('live').flatMap((event) => (event.live ? [event.live] : []));
      expect(live.length).toBeGreaterThan(0);
      const shown = await until('on record', async () => {
        const items = await bed.shown(of);
        return items.findLast((item): item is Reply => item.kind === 'reply');
      });
      // By its name or by its words a screen can put the stored item in the place of the live text.
      const said = live.at(-1);
      expect(shown.ref === said?.ref || shown.text.trim().startsWith(said?.text.trim() ?? '?')).toBe(true);
      await until('silent', () => of.of('live').at(-1)?.live === null || name === 'scripted');
    });

    test('resumes the same conversation and runs nothing of it again', async () => {
      const of = await bed.begin({ prompt: bed.words.ask('echo x >> once.txt') });
      await of.run.answer((await asks(of)).vendorRef, 'allow', '');
      await ends(of);
      const id =
        of.of('noted').findLast((event) => event.vendorSession)?.vendorSession ?? of.plan.vendorSession;
      expect(id).toBeTruthy();
      await bed.end(of);
      const back = await bed.begin({ resume: id ?? null });
      expect(back.plan.vendorSession).toBe(id);
      await until('it waits', () => ['idle', 'finished'].includes(back.state() ?? ''), 60_000);
      expect(bed.read('once.txt')).toBe('x\n');
      expect(back.of('asked')).toEqual([]);
    });

    test('two sessions do not hear each other', async () => {
      const [one, two] = await Promise.all([
        bed.begin({ prompt: bed.words.ask('echo 1 >> one.txt') }),
        bed.begin({ prompt: bed.words.ask('echo 2 >> two.txt') }),
      ]);
      const [first, second] = [await asks(one), await asks(two)];
      expect([one.of('asked').length, two.of('asked').length]).toEqual([1, 1]);
      expect(await one.run.answer(second.vendorRef, 'allow', '')).toBe('gone');
      await one.run.answer(first.vendorRef, 'allow', '');
      await ends(one);
      expect([bed.read('one.txt'), bed.read('two.txt')]).toEqual(['1\n', null]);
      expect(two.state()).toBe('needs-you');
      await two.run.answer(second.vendorRef, 'deny', 'no');
      await ends(two);
      expect(bed.read('two.txt')).toBeNull();
    });
  });
}
