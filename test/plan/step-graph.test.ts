// Tests the order of a plan's steps, and the step to which a failed step returns.
import { describe, expect, it, test } from 'vitest';
import { StepGraph } from '../../src/plan/shard/step-graph.ts';
import { steps } from './_steps.ts';

/** take → (look, ready) → shots → wait → export, and a notice next to the export. */
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

describe('the steps of a plan', () => {
  test.each([
    ['take', '', 'look ready'],
    ['look', 'take', 'shots'],
    ['shots', 'look ready', 'wait'],
    ['wait', 'shots', 'deliver tell'],
    ['tell', 'wait', ''],
  ])('the step %s comes after "%s" and before "%s"', (name, parents, after) => {
    expect(named(graph.parentsOf(at(name)))).toBe(parents);
    expect(
      graph
        .childrenOf(at(name))
        .map(({ id }) => id)
        .join(' '),
    ).toBe(after);
  });

  it('the plan ends with the steps that have no child', () => {
    expect(named(graph.sinks)).toBe('deliver tell');
  });

  it('parents that do not exist are ignored', () => {
    const other = new StepGraph(steps({ a: ['gone'], b: ['a', 'gone'] }));
    expect([other.parentsOf(0), other.parentsOf(1), other.sinks]).toEqual([[], [0], [1]]);
  });

  it('a step that does not exist causes a RangeError', () => {
    expect(() => graph.stepAt(7)).toThrow(new RangeError('no step 7'));
    expect(graph.parentsOf(7)).toEqual([]);
  });

  test.each([
    ['take', 'shots', 'take look ready shots'],
    ['look', 'wait', 'look shots wait'],
    ['ready', 'deliver', 'ready shots wait deliver'],
    ['shots', 'shots', 'shots'],
    // There is no path between these steps.
    ['look', 'ready', ''],
    ['wait', 'shots', ''],
  ])('the steps from %s to %s are %s', (from, to, between) => {
    expect(named(graph.pathBetween(at(from), at(to)))).toBe(between);
  });
});

describe('the step that a failed step returns to', () => {
  const redo = (from: string, to: string | null) =>
    new StepGraph(
      steps(shape, to === null ? {} : { [from]: { retry: { step: to, max: 2 } } }),
    ).retryTarget(at(from));

  test.each([
    ['to the step that created the work', 'wait', 'shots', at('shots')],
    ['to a distant step', 'deliver', 'take', at('take')],
    ['to itself', 'wait', 'wait', at('wait')],
    ['to no step if the plan specifies none', 'wait', null, -1],
    ['to no step if the specified one does not exist', 'wait', 'gone', -1],
    // The asset would never return, and the shard would hang.
    ['to no step if the specified one is parallel', 'deliver', 'tell', -1],
    ['to no step if the specified one is later', 'shots', 'wait', -1],
  ])('a failed step returns %s (failed: %s, specified: %s)', (_, from, to, target) =>
    expect(redo(from, to)).toBe(target),
  );
});
