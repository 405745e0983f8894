// An MCP client may only read runs whose records and files are in the allowed folders.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assertRunAllowed, createRunFilter } from '../../src/app/allowed-folders.ts';
import type { RunMemo } from '../../src/plan/run/run-memo.ts';
import { folderWith } from '../cli/_folder.ts';

const local = (path: string) => ({ type: 'local', path });
const bucket = { type: 's3', bucket: 'b' };
/** An allowed folder with a symbolic link to the outside, and another folder. */
function folders() {
  const cwd = folderWith({ 'out/a.png': '' });
  const outside = folderWith({ 'records/run.json': '' });
  symlinkSync(join(outside, 'records'), join(cwd, 'linked'));
  return { cwd, outside };
}

describe('a run', () => {
  test.each<[string, (cwd: string, outside: string) => Partial<RunMemo>, boolean]>([
    ['is allowed in the folder', () => ({}), true],
    [
      'is allowed with records in a folder that no longer exists',
      (cwd) => ({ records: local(join(cwd, 'x')) }),
      true,
    ],
    ['is allowed with records in a bucket', () => ({ records: bucket }), true],
    [
      'is refused with records elsewhere',
      (_, outside) => ({ records: local(join(outside, 'records')) }),
      false,
    ],
    [
      'is refused with symlinked records',
      (cwd) => ({ records: local(join(cwd, 'linked')) }),
      false,
    ],
    [
      'is refused with records in a parent folder',
      (cwd) => ({ records: local(join(cwd, '..')) }),
      false,
    ],
    ['is refused with files elsewhere', (_, outside) => ({ destination: local(outside) }), false],
    [
      'is refused with the files of another export elsewhere',
      (_, outside) => ({ extraDestinations: [bucket, local(outside)] }),
      false,
    ],
  ])('a run %s', async (_what, changes, isInside) => {
    const { cwd, outside } = folders();
    const here = local(join(cwd, 'out'));
    const kept = { pipeline: 'p', file: 'p.yaml', records: here, destination: here, steps: [] };
    const run = { memo: { ...kept, ...changes(cwd, outside) } };
    const bounds = { cwd, folders: [cwd] };
    expect(await createRunFilter(bounds)(run)).toBe(isInside);
    const refused = assertRunAllowed(bounds, run).then(
      () => null,
      ({ code }: { code: string }) => code,
    );
    expect(await refused).toBe(isInside ? null : 'OUTSIDE_FOLDERS');
    // Commands of a person are not restricted.
    expect(await createRunFilter({ cwd })(run)).toBe(true);
  });

  test('the runs of a list are checked, and each folder is resolved only once', async () => {
    const { cwd, outside } = folders();
    const memo = { pipeline: 'p', file: 'p.yaml', destination: null, steps: [] };
    const isAllowed = createRunFilter({ cwd, folders: [cwd] });
    const path = join(cwd, 'later');
    expect(await isAllowed({ memo: { ...memo, records: local(path) } })).toBe(true);
    symlinkSync(outside, path);
    expect(await isAllowed({ memo: { ...memo, records: local(path) } })).toBe(true);
  });
});
