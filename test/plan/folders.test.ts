// Which host a run belongs to.
import { describe, expect, it, test } from 'vitest';
import {
  chooseHost,
  type HostView,
  hasLocalFolders,
  localFolders,
} from '../../src/plan/run/folders.ts';

const local = (path: string) => ({ type: 'local', path });
const bucket = { type: 's3', bucket: 'b', path: '/no/folder' };

describe('the local folders of a plan', () => {
  it('are named once, with those that it writes', () => {
    const connectors = { models: local('/in'), out: local('/out'), store: bucket };
    expect(
      localFolders({ connectors, records: local('/out'), destination: local('/out') }),
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
  ])('%j with records in %j: any is %j', (connectors, records, expected) => {
    expect(hasLocalFolders({ connectors, records })).toBe(expected);
  });
});

const folders = [
  { path: '/in', isWritten: false },
  { path: '/out', isWritten: true },
];

/** `1`: the folder with this identity; `(9)`: not there, and below the folder 9. */
function view(host: string, seen: string): HostView {
  const views = seen.split(' ').map((text) => {
    const above = /^\((.+)\)$/.exec(text)?.[1];
    return above === undefined ? { id: text, parentId: null } : { id: null, parentId: above };
  });
  return { host, folders: views };
}

test.each<[string, Record<string, string>, string | null]>([
  ['one host is left', { a: '1 2' }, 'a'],
  ['all share everything', { a: '1 2', b: '1 2', c: '1 2' }, null],
  ['all will share what is not made yet', { a: '1 (9)', b: '1 (9)' }, null],
  ['the source is nowhere, which its own look tells', { a: '(8) 2', b: '(9) 2' }, null],
  ['one has the source', { a: '(9) (9)', b: '1 (8)' }, 'b'],
  ['one has the source, and both another place for the rest', { a: '(9) 3', b: '1 2' }, 'b'],
  ['the source is shared, one has the place', { a: '1 2', b: '1 (9)' }, 'a'],
  ['two of three share all of it: the first', { c: '1 2', b: '1 2', a: '(9) (9)' }, 'b'],
])('%s: %j gives %j', (_, seen, host) => {
  const views = Object.entries(seen).map(([name, text]) => view(name, text));
  expect(chooseHost(folders, views)).toEqual({ host });
  expect(chooseHost(folders, views.toReversed())).toEqual({ host });
});

test.each<[string, Record<string, string>, string]>([
  ['no host has answered', {}, 'no host has answered'],
  [
    'each has its own',
    { a: '1 2', b: '3 4' },
    '"/in" is a different folder on each of a, b; "/out" is a different folder on each of a, b',
  ],
  [
    'only the place differs',
    { a: '1 2', b: '1 4' },
    '"/out" is a different folder on each of a, b',
  ],
  [
    'each would make its own',
    { a: '1 (8)', b: '1 (9)' },
    '"/out" does not exist on a, b, and they do not share its parent folder',
  ],
  [
    'none has both',
    { a: '1 (9)', b: '(8) 2' },
    '"/in" is on a, not on b; "/out" is on b, not on a',
  ],
  [
    'many hosts are counted',
    { a: '1 2', b: '2 2', c: '3 2', d: '4 2', e: '5 2', f: '6 2', g: '7 2' },
    '"/in" is a different folder on each of a, b, c, d, e and 2 more',
  ],
])('%s: nobody can tell', (_, seen, conflict) => {
  const views = Object.entries(seen).map(([name, text]) => view(name, text));
  expect(chooseHost(folders, views)).toEqual({ conflict });
});
