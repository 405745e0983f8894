// A shard that continues as new at any time ends like one that does not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedShard } from './_keyed-shard.ts';
import { assets, done, failed, retry, startAll, steps } from './_steps.ts';

const plan = steps(
  { up: [], ready: ['up'], shots: ['ready'], wait: ['shots'], tell: ['wait'], out: ['wait'] },
  {
    ready: { mode: 'wait' },
    wait: { mode: 'wait', retry: { step: 'shots', max: 2 } },
    tell: { isSideStep: true, onFailure: 'ignore' },
  },
);
const keys = ['a', 'b', 'c', 'd', 'e'];

/** Runs a shard with answers by number. Before the rounds in `turns` the shard continues as new. */
function play(answers: readonly number[], turns: ReadonlySet<number>) {
  const shard = new KeyedShard(plan, assets(...keys));
  const settled = [];
  let next = 0;
  const answer = () => answers[next++ % answers.length] ?? 0;
  for (let round = 0; !shard.ended; round += 1) {
    if (round > 400) throw new Error('it does not end');
    settled.push(...shard.takeSettled());
    if (turns.has(round)) shard.continueAsNew();
    for (const { index, id, given } of startAll(shard, plan, round)) {
      const kind = answer();
      if (kind === 1) shard.release(index, given);
      else if (kind === 2 && id === 'tell') shard.fail(index, given, 'AWAY', 'nobody answers');
      else {
        const results = given.map(({ key }) => {
          const one = answer();
          if (one === 3) return failed(key);
          if (one === 4 && id === 'wait') return retry(key);
          return done(key, { modelId: `${id}-${key}` });
        });
        shard.apply(index, given, results);
      }
    }
  }
  settled.push(...shard.takeSettled());
  const { code = '' } = shard.failures()[0] ?? {};
  return { settled, totals: shard.totals(), counts: shard.counts(), first: code };
}

describe('a shard that continues as new', () => {
  it('a shard that continues as new in any rounds has the same result as one that never does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9), { minLength: 20, maxLength: 60 }),
        fc.uniqueArray(fc.nat(30), { maxLength: 6 }),
        (answers, turns) => {
          expect(play(answers, new Set(turns))).toEqual(play(answers, new Set()));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a shard carries over only a few bytes per asset, however large the data of the asset is', () => {
    const many = assets(...Array.from({ length: 250 }, (_, at) => `${at}-${'x'.repeat(500)}`));
    const shard = new KeyedShard(plan, many);
    const [up] = startAll(shard, plan);
    shard.apply(
      up?.index ?? 0,
      up?.given ?? [],
      many.map(({ key }) => done(key, { modelId: 'm'.repeat(2_000) })),
    );
    const carried = shard.state.carried(['folded']);
    expect(JSON.stringify(carried).length / many.length).toBeLessThan(120);
  });
});
