// Which steps share an activity: brief calls that follow each other, one by one.
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
  ['all of a row', { a: [], b: ['a'], c: ['b'] }, {}, { a: ['b', 'c'], b: ['c'] }],
  ['up to a wait', { a: [], b: ['a'], c: ['b'], d: ['c'] }, { c: wait }, { a: ['b'] }],
  ['a wait begins none', { a: [], b: ['a'], c: ['b'] }, { a: wait }, { b: ['c'] }],
  ['what moves files is alone', { a: [], b: ['a'], c: ['b'] }, { b: long }, {}],
  ['not into branches', { a: [], b: ['a'], c: ['a'], d: ['b'] }, {}, { b: ['d'] }],
  ['not into a join', { a: [], b: [], c: ['a', 'b'], d: ['c'] }, {}, { c: ['d'] }],
  ['not with steps aside', { a: [], b: ['a'] }, { b: { isSideStep: true } }, {}],
  ['not with cells of a grid', { a: [], b: ['a'] }, { b: { cells: { work: 1, calls: 0 } } }, {}],
];

describe('steps that share an activity', () => {
  it.each(cases)('%s', (_, shape, more, chains) => {
    const planned = withChains(steps(shape, more));
    const found = planned.flatMap(({ id, chain }) => (chain ? [[id, chain]] : []));
    expect(Object.fromEntries(found)).toEqual(chains);
  });
});
