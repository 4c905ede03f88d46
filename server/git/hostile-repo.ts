import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitSandbox } from './testing';

export interface HostileRepo {
  path: string;
  missing: string; // id of a blob that only a fetch could bring
  /** Names of the traps that went off since the last call, which also sets them again. */
  fired(): string[];
  /** Which hooks are in force: those in `.git/hooks`, or those `core.hooksPath` leads to. */
  hooksBySetting(on: boolean): Promise<void>;
}

const HOOKS = [
  'post-checkout',
  'post-index-change',
  'pre-commit',
  'post-commit',
  'reference-transaction',
  'pre-auto-gc',
  'fsmonitor-watchman',
];

/**
 * A repository in which everything that git lets a repository run leaves a marker: for proving that our calls run none
 * of it, and, by plain calls, that the traps are real.
 */
export async function hostileRepo(box: GitSandbox, name = 'hostile'): Promise<HostileRepo> {
  const markers = join(box.root, `${name}-markers`);
  const bin = join(box.root, `${name}-bin`);
  mkdirSync(markers);
  mkdirSync(bin);
  const program = (
    folder: string,
    file: string,
    trap: string,
    then = 'cat >/dev/null 2>&1; exit 0',
  ): string => {
    const path = join(folder, file);
    writeFileSync(path, `#!/bin/sh\n: > '${markers}/${trap}'\n${then}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const trap = (label: string, then?: string): string => program(bin, label, label, then);

  const lib = await box.repository(`${name}-lib`);
  writeFileSync(join(lib, 'lib.txt'), 'lib\n');
  await box.plain(lib, ['add', '-A']);
  await box.plain(lib, ['commit', '-q', '-m', 'lib']);

  const path = await box.repository(name);
  const git = (...args: string[]) => box.plain(path, args);
  const set = (key: string, value: string) => git('config', '--add', key, value);

  // Content first, while nothing is armed.
  await git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'sub');
  const kinds = [
    'clean',
    'process',
    'smudge',
    'equals=sign',
    'textconv',
    'extdriver',
    'included',
    'conditional',
  ];
  for (const kind of kinds) writeFileSync(join(path, `${kind}.dat`), `${kind} one\n`);
  writeFileSync(join(path, 'plain.txt'), 'one\n');
  const attributes = kinds.map((kind) =>
    kind === 'textconv' || kind === 'extdriver' ? `${kind}.dat diff=${kind}` : `${kind}.dat filter=${kind}`,
  );
  // Attributes come from the git folder's own file too; the checked-in one is what an agent would write.
  writeFileSync(join(path, '.gitattributes'), `${attributes.join('\n')}\nmerged.txt merge=evil\n`);
  await git('add', '-A');
  await git('commit', '-q', '-m', 'content');
  const tree = await git('rev-parse', 'HEAD^{tree}');
  const parent = await git('rev-parse', 'HEAD');
  const signed = [
    `tree ${tree}`,
    `parent ${parent}`,
    'author T <t@example.org> 1 +0000',
    'committer T <t@example.org> 1 +0000',
    'gpgsig -----BEGIN PGP SIGNATURE-----',
    ' ',
    ' AAAA',
    ' -----END PGP SIGNATURE-----',
    '',
    'signed',
    '',
  ].join('\n');
  const id = await box.plain(path, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: signed });
  await git('update-ref', 'refs/heads/main', id);
  await git('branch', 'other');
  for (const kind of kinds) writeFileSync(join(path, `${kind}.dat`), `${kind} two\n`);
  writeFileSync(join(path, 'plain.txt'), 'two\n');
  writeFileSync(join(path, 'sub', 'lib.txt'), 'LIB\n');

  // A repository inside, and the submodule, with traps of their own.
  const inner = await box.repository(join(name, 'inner'));
  for (const [folder, label] of [
    [inner, 'nested'],
    [join(path, 'sub'), 'submodule'],
  ] as const) {
    await box.plain(folder, ['config', 'core.fsmonitor', trap(`${label}-fsmonitor`)]);
    await box.plain(folder, ['config', 'filter.deep.clean', trap(`${label}-clean`, 'cat')]);
  }
  writeFileSync(join(path, '.git', 'modules', 'sub', 'info', 'attributes'), '* filter=deep\n');

  // Filters answer like real ones, so that git goes on and reaches the next trap.
  await set('filter.clean.clean', trap('filter-clean', 'cat'));
  // Greets as git's protocol wants, offers nothing: git goes on without it instead of giving up.
  const greet = "printf '0016git-filter-server\\n000eversion=2\\n00000000'; cat >/dev/null";
  await set('filter.process.process', trap('filter-process', greet));
  await set('filter.smudge.smudge', trap('filter-smudge', 'cat'));
  await set('filter.equals=sign.clean', trap('filter-equals-sign', 'cat'));
  await set('filter.equals=sign.smudge', 'cat');
  await set('filter.equals=sign.required', 'true');
  await set('diff.textconv.textconv', trap('diff-textconv', 'cat "$1"'));
  await set('diff.extdriver.command', trap('diff-command'));
  await set('diff.external', trap('diff-external'));
  await set('diff.submodule', 'diff');
  await set('merge.evil.driver', trap('merge-driver'));
  await set('core.fsmonitor', trap('core-fsmonitor', 'exit 1'));
  await set('core.pager', trap('core-pager'));
  await set('pager.log', trap('pager-log'));
  await set('pager.status', trap('pager-status'));
  await set('core.editor', trap('core-editor'));
  await set('sequence.editor', trap('sequence-editor'));
  await set('core.sshCommand', trap('core-sshcommand', 'exit 1'));
  await set('core.askPass', trap('core-askpass'));
  await set('core.alternateRefsCommand', trap('alternate-refs'));
  await set('credential.helper', trap('credential-helper'));
  await set('gpg.program', trap('gpg-program'));
  await set('log.showSignature', 'true');
  await set('alias.innocent', `!${trap('alias')}`);
  await set('alias.status', `!${trap('alias-status')}`);
  await set('interactive.diffFilter', trap('interactive-diff-filter', 'cat'));
  await set('submodule.sub.update', `!${trap('submodule-update')}`);
  await set('trailer.sign.command', trap('trailer-command'));
  await set('uploadpack.packObjectsHook', trap('pack-objects-hook'));
  await set('protocol.allow', 'always');
  await set('protocol.ext.allow', 'always');
  await set('remote.ext.url', `ext::${trap('ext-transport', 'exit 1')}`);
  writeFileSync(
    join(path, '.git', 'more'),
    `[filter "included"]\n\tclean = ${trap('filter-included', 'cat')}\n`,
  );
  await set('include.path', 'more');
  writeFileSync(
    join(path, '.git', 'conditional'),
    `[filter "conditional"]\n\tclean = ${trap('filter-conditional', 'cat')}\n`,
  );
  await set('includeIf.gitdir:**.path', 'conditional');
  // A partial clone: reading a missing object starts the remote's own "upload-pack".
  await set('core.repositoryFormatVersion', '1');
  await set('extensions.partialClone', 'lazy');
  await set('remote.lazy.url', lib);
  await set('remote.lazy.promisor', 'true');
  await set('remote.lazy.uploadpack', trap('lazy-fetch', 'exit 1'));

  const other = join(path, '.git', 'other-hooks');
  mkdirSync(other);
  for (const hook of HOOKS) {
    program(join(path, '.git', 'hooks'), hook, `hook-${hook}`, 'exit 0');
    program(other, hook, `hookspath-${hook}`, 'exit 0');
  }

  const takeMarkers = () => {
    const found = readdirSync(markers).sort();
    for (const file of found) rmSync(join(markers, file));
    return found;
  };
  takeMarkers(); // what building it set off is no finding
  return {
    path,
    missing: '1'.repeat(40),
    fired: takeMarkers,
    hooksBySetting: async (on) => {
      await box.plain(path, ['config', '--unset-all', 'core.hooksPath'], { mayFail: true });
      if (on) await set('core.hooksPath', other);
    },
  };
}
