// Properties of a shard for any graph and any answers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssetResult, Step, StepAsset } from '../../src/plan/types.ts';
import { KeyedShard } from './_keyed-shard.ts';
import { assets, done, failed, pruned, retry, startAll, step } from './_steps.ts';

type Answer = 'done' | 'pruned' | 'failed' | 'retry' | 'open' | 'release';

/** Graphs of 1 to 8 steps in topological order. Redo edges lead back to an ancestor or an earlier step. */
const graphs = fc
  .array(
    fc.record({
      parents: fc.array(fc.nat(7), { maxLength: 3 }),
      back: fc.option(fc.record({ to: fc.nat(7), max: fc.nat(2) }), { freq: 2 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drafts) =>
    drafts.map(({ parents, back }, index): Step => {
      const ids = [...new Set(parents.filter((parent) => parent < index))].map((at) => `s${at}`);
      const redoing = back && back.to <= index ? { step: `s${back.to}`, max: back.max } : null;
      return step(`s${index}`, ids, { retry: redoing });
    }),
  );

const answers = fc.infiniteStream(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Answer>('done') },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Answer>('pruned', 'failed', 'retry', 'open', 'release'),
    },
  ),
);

interface Entry {
  step: number;
  key: string;
  answer: Answer;
}

/** Runs a shard with random answers and random interleaving. Records the entered steps and the outcomes. */
function run(plan: Step[], next: () => Answer, pick: () => number) {
  const state = new KeyedShard(plan, assets('x', 'y', 'z'));
  const running: { index: number; given: StepAsset[] }[] = [];
  const log: Entry[] = [];
  const settled: ReturnType<KeyedShard['takeSettled']> = [];
  const dead = new Set<string>();
  for (let round = 0; round < 2_000; round += 1) {
    for (const { index, given } of startAll(state, plan)) {
      for (const { key } of given)
        expect(dead.has(key), `${key} starts after it failed`).toBe(false);
      running.push({ index, given });
    }
    if (running.length === 0) break;
    const [activity] = running.splice(pick() % running.length, 1);
    if (!activity) break;
    const { index, given } = activity;
    const kinds = given.map(({ key }): Entry => ({ step: index, key, answer: next() }));
    if (kinds.every(({ answer }) => answer === 'release')) state.release(index, given);
    else state.apply(index, given, kinds.flatMap(toResult));
    log.push(...kinds);
    for (const { key } of state.failures()) dead.add(key);
    settled.push(...state.takeSettled());
  }
  return { state, log, settled };
}

function toResult({ key, answer }: Entry): AssetResult[] {
  if (answer === 'done') return [done(key)];
  if (answer === 'pruned') return [pruned(key)];
  if (answer === 'failed') return [failed(key)];
  return answer === 'retry' ? [retry(key)] : [];
}

describe('a shard with any graph and any results', () => {
  it('every asset ends exactly once, and the totals add up', () => {
    fc.assert(
      fc.property(graphs, answers, fc.infiniteStream(fc.nat(50)), (plan, stream, picks) => {
        const { state, settled } = run(
          plan,
          () => take(stream),
          () => take(picks),
        );
        expect(state.ended).toBe(true);
        expect(settled.map(({ key }) => key).toSorted()).toEqual(['x', 'y', 'z']);
        const { total, complete, failed: broken, skipped } = state.totals();
        expect(complete + broken + skipped).toBe(total);
        for (const { outcome, failure } of settled) {
          expect(outcome === 'failed').toBe(failure !== null);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a step starts only after all of its parents have ended, and only once without a retry', () => {
    fc.assert(
      fc.property(graphs, answers, fc.infiniteStream(fc.nat(50)), (drafts, stream, picks) => {
        const plan = drafts.map((one) => ({ ...one, retry: null }));
        const { log } = run(
          plan,
          () => take(stream),
          () => take(picks),
        );
        for (const key of ['x', 'y', 'z']) {
          const mine = log.filter((entry) => entry.key === key);
          const ends = mine.filter(({ answer }) => answer !== 'open' && answer !== 'release');
          const entered = ends.map((entry) => entry.step);
          expect(new Set(entered).size).toBe(entered.length);
          for (const [at, { step: index }] of mine.entries()) {
            const parents = plan[index]?.parents.map((id) => Number(id.slice(1))) ?? [];
            // The log does not contain parents that were skipped because all of their own parents were skipped.
            const pending = parents.filter((parent) =>
              mine.slice(at).some((later) => later.step === parent),
            );
            expect(pending).toEqual([]);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('when everything succeeds, every asset enters every step once and is complete', () => {
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.nat(50)), (plan, picks) => {
        const { log, state } = run(
          plan,
          () => 'done',
          () => take(picks),
        );
        expect(log).toHaveLength(plan.length * 3);
        expect(state.totals()).toEqual({ total: 3, complete: 3, failed: 0, skipped: 0 });
      }),
    );
  });

  it('work is never retried more often than allowed', () => {
    fc.assert(
      fc.property(graphs, answers, fc.infiniteStream(fc.nat(50)), (plan, stream, picks) => {
        const { settled } = run(
          plan,
          () => take(stream),
          () => take(picks),
        );
        const max = Math.max(0, ...plan.map(({ retry: back }) => back?.max ?? 0));
        for (const { platformIds } of settled)
          expect(platformIds.retries ?? 0).toBeLessThanOrEqual(max);
      }),
    );
  });
});

function take<T>(stream: Iterator<T>): T {
  const { value, done: over } = stream.next();
  if (over) throw new RangeError('the stream has ended');
  return value;
}
