// The order of a plan's steps, and what a step that failed goes back to.
import { describe, expect, it, test } from 'vitest';
import { StepGraph } from '../../src/plan/shard/step-graph.ts';
import { steps } from './_steps.ts';

/** take → (look, ready) → shots → wait → export, and a notice beside the export. */
const shape = {
  take: [],
  look: ['take'],
  ready: ['take'],
  shots: ['look', 'ready'],
  wait: ['shots'],
  deliver: ['wait'],
  tell: ['wait'],
};
const names = Object.keys(shape);
const graph = new StepGraph(steps(shape));
const at = (name: string) => names.indexOf(name);
const named = (indices: readonly number[]) => indices.map((index) => names[index]).join(' ');

describe('steps', () => {
  test.each([
    ['take', '', 'look ready'],
    ['look', 'take', 'shots'],
    ['shots', 'look ready', 'wait'],
    ['wait', 'shots', 'deliver tell'],
    ['tell', 'wait', ''],
  ])('%s comes after "%s" and before "%s"', (name, parents, after) => {
    expect(named(graph.parentsOf(at(name)))).toBe(parents);
    expect(
      graph
        .childrenOf(at(name))
        .map(({ id }) => id)
        .join(' '),
    ).toBe(after);
  });

  it('end in all that nothing comes after', () => {
    expect(named(graph.sinks)).toBe('deliver tell');
  });

  it('of other plans are no parents', () => {
    const other = new StepGraph(steps({ a: ['gone'], b: ['a', 'gone'] }));
    expect([other.parentsOf(0), other.parentsOf(1), other.sinks]).toEqual([[], [0], [1]]);
  });

  it('that there are not have no place', () => {
    expect(() => graph.stepAt(7)).toThrow(new RangeError('no step 7'));
    expect(graph.parentsOf(7)).toEqual([]);
  });

  test.each([
    ['take', 'shots', 'take look ready shots'],
    ['look', 'wait', 'look shots wait'],
    ['ready', 'deliver', 'ready shots wait deliver'],
    ['shots', 'shots', 'shots'],
    // No way leads there.
    ['look', 'ready', ''],
    ['wait', 'shots', ''],
  ])('from %s to %s are %s', (from, to, between) => {
    expect(named(graph.pathBetween(at(from), at(to)))).toBe(between);
  });
});

describe('a failure goes back', () => {
  const redo = (from: string, to: string | null) =>
    new StepGraph(
      steps(shape, to === null ? {} : { [from]: { retry: { step: to, max: 2 } } }),
    ).retryTarget(at(from));

  test.each([
    ['to the step that made the work', 'wait', 'shots', at('shots')],
    ['far', 'deliver', 'take', at('take')],
    ['to itself', 'wait', 'wait', at('wait')],
    ['nowhere where the plan does not say', 'wait', null, -1],
    ['nowhere where there is no such step', 'wait', 'gone', -1],
    // It would never come back, and hang.
    ['nowhere from a step beside it', 'deliver', 'tell', -1],
    ['nowhere from a step behind it', 'shots', 'wait', -1],
  ])('%s: from %s to %s', (_, from, to, target) => expect(redo(from, to)).toBe(target));
});
