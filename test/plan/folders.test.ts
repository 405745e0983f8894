// Tests which host a run belongs to.
import { describe, expect, it, test } from 'vitest';
import {
  chooseHost,
  type HostView,
  hasLocalFolders,
  localFoldersOf,
} from '../../src/plan/run/folders.ts';

const local = (path: string) => ({ type: 'local', path });
const bucket = { type: 's3', bucket: 'b', path: '/no/folder' };

describe('the local folders of a plan', () => {
  it('each folder is listed once, with a mark if the plan writes to it', () => {
    const connectors = { models: local('/in'), out: local('/out'), store: bucket };
    expect(
      localFoldersOf({ connectors, records: local('/out'), destination: local('/out') }),
    ).toEqual([
      { path: '/in', isWritten: false },
      { path: '/out', isWritten: true },
    ]);
  });

  it.each([
    [{ a: bucket }, bucket, false],
    [{ a: bucket }, local('/r'), true],
    [{ a: local('/a') }, bucket, true],
    [{}, bucket, false],
  ])(
    'the connectors %j with records in %j use local folders: %j',
    (connectors, records, expected) => {
      expect(hasLocalFolders({ connectors, records })).toBe(expected);
    },
  );
});

const folders = [
  { path: '/in', isWritten: false },
  { path: '/out', isWritten: true },
];

/** `1`: the folder with this id. `(9)`: a missing folder below the folder 9. */
function view(host: string, seen: string): HostView {
  const views = seen.split(' ').map((text) => {
    const above = /^\((.+)\)$/.exec(text)?.[1];
    return above === undefined ? { id: text, parentId: null } : { id: null, parentId: above };
  });
  return { host, folders: views };
}

test.each<[string, Record<string, string>, string | null]>([
  ['one host is left', { a: '1 2' }, 'a'],
  ['all hosts share everything', { a: '1 2', b: '1 2', c: '1 2' }, null],
  ['all hosts share the parent of a missing folder', { a: '1 (9)', b: '1 (9)' }, null],
  ['the source exists on no host, which its own check reports', { a: '(8) 2', b: '(9) 2' }, null],
  ['one host has the source', { a: '(9) (9)', b: '1 (8)' }, 'b'],
  ['one host has the source, and both have another output folder', { a: '(9) 3', b: '1 2' }, 'b'],
  ['the source is shared, and one host has the output folder', { a: '1 2', b: '1 (9)' }, 'a'],
  [
    'two of three hosts share both folders, so the first is taken',
    { c: '1 2', b: '1 2', a: '(9) (9)' },
    'b',
  ],
])('%s: for the folders %j the chosen host is %j', (_, seen, host) => {
  const views = Object.entries(seen).map(([name, text]) => view(name, text));
  expect(chooseHost(folders, views)).toEqual({ host });
  expect(chooseHost(folders, views.toReversed())).toEqual({ host });
});

test.each<[string, Record<string, string>, string]>([
  ['no host has responded', {}, 'no host has responded'],
  [
    'each host has its own folders',
    { a: '1 2', b: '3 4' },
    '"/in" is a different folder on each of a, b; "/out" is a different folder on each of a, b',
  ],
  [
    'only the output folder differs',
    { a: '1 2', b: '1 4' },
    '"/out" is a different folder on each of a, b',
  ],
  [
    'each host would create its own folder',
    { a: '1 (8)', b: '1 (9)' },
    '"/out" does not exist on a, b, and they do not share its parent folder',
  ],
  [
    'no host has both folders',
    { a: '1 (9)', b: '(8) 2' },
    '"/in" exists on a, but not on b; "/out" exists on b, but not on a',
  ],
  [
    'each of many hosts has its own folder',
    { a: '1 2', b: '2 2', c: '3 2', d: '4 2', e: '5 2', f: '6 2', g: '7 2' },
    '"/in" is a different folder on each of a, b, c, d, e and 2 more',
  ],
])('no host can be chosen if %s', (_, seen, conflict) => {
  const views = Object.entries(seen).map(([name, text]) => view(name, text));
  expect(chooseHost(folders, views)).toEqual({ conflict });
});
