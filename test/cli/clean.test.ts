// What `renderline clean` prints after a deletion.
import { expect, it } from 'vitest';
import type { CleanShape } from '../../src/app/clean/preview-clean.ts';
import { printDeletion } from '../../src/cli/commands/platform/clean.ts';
import { Session } from '../../src/cli/session.ts';
import { createIo } from './_fake-io.ts';

const project = { kind: 'project', id: 'p1' } as const;
const model = { kind: 'model', id: 'm1' } as const;
const deletion = {
  deleted: [model],
  usedSince: [],
  refused: [],
} as Partial<CleanShape> as CleanShape;

it.each<[string, Partial<CleanShape>, number, string[]]>([
  ['a deletion', {}, 0, ['Deleted: 1 model.']],
  [
    'a refused deletion',
    { refused: [{ ...project, code: 'FORBIDDEN', message: 'no\nright' }] },
    3,
    ['Deleted: 1 model.', 'Refused: project p1: no\\nright'],
  ],
  [
    'a resource in use again',
    { usedSince: [project] },
    0,
    ['Deleted: 1 model.', 'Kept: project p1, which is now in use again.'],
  ],
])('clean prints %s', (_what, more, code, lines) => {
  const { io, stdout } = createIo({});
  expect(printDeletion(new Session(io, false), { ...deletion, ...more })).toBe(code);
  expect(stdout.text.trimEnd().split('\n')).toEqual(lines);
});
