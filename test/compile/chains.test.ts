// Which steps share an activity: short calls that directly follow each other.
import { describe, expect, it } from 'vitest';
import { withChains } from '../../src/compile/graph/chains.ts';
import type { Step } from '../../src/plan/types.ts';
import { steps } from '../plan/_steps.ts';

const wait: Partial<Step> = { mode: 'wait' };
const long: Partial<Step> = { startToCloseMs: 7_200_000 };

const cases: [
  title: string,
  shape: Record<string, string[]>,
  more: Record<string, Partial<Step>>,
  chains: Record<string, string[]>,
][] = [
  ['all steps of a sequence', { a: [], b: ['a'], c: ['b'] }, {}, { a: ['b', 'c'], b: ['c'] }],
  ['steps before a wait', { a: [], b: ['a'], c: ['b'], d: ['c'] }, { c: wait }, { a: ['b'] }],
  [
    'a wait is not combined with the steps after it',
    { a: [], b: ['a'], c: ['b'] },
    { a: wait },
    { b: ['c'] },
  ],
  [
    'a step that transfers files has an activity of its own',
    { a: [], b: ['a'], c: ['b'] },
    { b: long },
    {},
  ],
  [
    'steps before branches are not combined with them',
    { a: [], b: ['a'], c: ['a'], d: ['b'] },
    {},
    { b: ['d'] },
  ],
  [
    'steps before a join are not combined with it',
    { a: [], b: [], c: ['a', 'b'], d: ['c'] },
    {},
    { c: ['d'] },
  ],
  ['side steps are not combined', { a: [], b: ['a'] }, { b: { isSideStep: true } }, {}],
  [
    'cells of a grid are not combined',
    { a: [], b: ['a'] },
    { b: { cells: { work: 1, calls: 0 } } },
    {},
  ],
];

describe('steps that share an activity', () => {
  it.each(cases)(
    'steps are combined into activities where possible: %s',
    (_, shape, more, chains) => {
      const planned = withChains(steps(shape, more));
      const found = planned.flatMap(({ id, chain }) => (chain ? [[id, chain]] : []));
      expect(Object.fromEntries(found)).toEqual(chains);
    },
  );
});
