// Tests side steps: which assets they delay, what input they get, and what their failure means.
import { describe, expect, it } from 'vitest';
import type { NoticeDelivery } from '../../src/features/notices/platform-ids.ts';
import type { DeliveredFile, Step, StepAsset } from '../../src/plan/types.ts';
import { KeyedShard } from './_keyed-shard.ts';
import { assets, done, failed, pruned, runAll, startAll, steps } from './_steps.ts';

const aside: Partial<Step> = { isSideStep: true };
const file = (index: number): DeliveredFile => {
  const size = { bytes: 1, width: 1, height: 1 };
  return { key: 'x', path: `${index}.png`, ...size, sha256: 'ab', output: 'o', delivery: 'd' };
};
const delivery = (id: string): NoticeDelivery => {
  return { id, status: 200, attempts: 1, at: '2026-01-02T03:04:05.000Z', about: 'abc' };
};

describe('an asset that a side step skips', () => {
  it.each<[string, Record<string, string[]>, string, string[]]>([
    ['at the end is complete', { a: [], tell: ['a'] }, 'tell', ['a', 'tell']],
    ['on its way continues', { a: [], tell: ['a'], b: ['tell'] }, 'tell', ['a', 'tell', 'b']],
    [
      'next to another branch does not wait',
      { a: [], tell: ['a'], b: ['a'] },
      'tell',
      ['a', 'tell', 'b'],
    ],
  ])('an asset that is skipped %s', (_name, shape, passedOver, entered) => {
    const plan = steps(shape, { tell: aside });
    const state = new KeyedShard(plan, assets('x'));
    const log = runAll(state, plan, (id, { key }) => (id === passedOver ? pruned(key) : done(key)));
    expect(log).toEqual(entered.map((id) => `${id}:x`));
    expect(state.takeSettled()).toMatchObject([{ outcome: 'complete' }]);
  });

  it('the asset never reaches a side step after a skipped step', () => {
    const plan = steps({ a: [], b: ['a'], tell: ['b'] }, { tell: aside });
    const state = new KeyedShard(plan, assets('x'));
    expect(runAll(state, plan, (id, { key }) => (id === 'b' ? pruned(key) : done(key)))).toEqual([
      'a:x',
      'b:x',
    ]);
    expect(state.takeSettled()).toMatchObject([{ outcome: 'skipped' }]);
  });
});

describe('earlier results in the input of a side step', () => {
  const seen = (id: string): StepAsset | undefined => {
    const plan = steps({ a: [], [id]: ['a'] }, { tell: aside });
    const state = new KeyedShard(plan, assets('x'));
    let given: StepAsset | undefined;
    runAll(state, plan, (step, asset) => {
      if (step === id) given = asset;
      const files = Array.from({ length: 30 }, (_, index) => file(index));
      return { key: asset.key, outcome: 'done', files, warnings: ['no texture'] };
    });
    return given;
  };

  it('the earlier results contain the first files so far, the number of files, and the warnings', () => {
    const earlierResults = seen('tell')?.earlierResults;
    expect(earlierResults).toMatchObject({ filesTotal: 30, warnings: ['no texture'] });
    expect(earlierResults?.files).toHaveLength(20);
  });

  it('the earlier results are omitted for other steps, which do not need them', () => {
    expect(seen('other')).not.toHaveProperty('earlierResults');
  });
});

describe('a failure in a side step', () => {
  const outcome = (more: Partial<Step>) => {
    const plan = steps({ a: [], tell: ['a'], b: ['tell'] }, { tell: { ...aside, ...more } });
    const state = new KeyedShard(plan, assets('x'));
    const log = runAll(state, plan, (id, { key }) => {
      if (id !== 'tell') return done(key);
      return {
        ...failed(key, 'NOTICE_REFUSED'),
        platformIds: { notices: { tell: delivery('n-1') } },
      };
    });
    return { log, settled: state.takeSettled()[0] };
  };

  it('a failure in a side step fails the asset', () => {
    const { log, settled } = outcome({});
    expect(log).toEqual(['a:x', 'tell:x']);
    expect(settled).toMatchObject({
      outcome: 'failed',
      failure: { node: 'tell', code: 'NOTICE_REFUSED' },
      platformIds: { notices: { tell: { id: 'n-1' } } },
    });
  });

  it('a failure becomes a warning if the plan ignores failures, and the asset continues', () => {
    const { log, settled } = outcome({ onFailure: 'ignore' });
    expect(log).toEqual(['a:x', 'tell:x', 'b:x']);
    expect(settled).toMatchObject({
      outcome: 'complete',
      failure: null,
      warnings: ['tell: NOTICE_REFUSED it is'],
      platformIds: { notices: { tell: { id: 'n-1' } } },
    });
  });
});

it('notices of parallel nodes are all kept', () => {
  const plan = steps({ a: [], tell: ['a'], say: ['a'] }, { tell: aside, say: aside });
  const state = new KeyedShard(plan, assets('x'));
  runAll(state, plan, (id, { key }) =>
    done(key, id === 'a' ? {} : { notices: { [id]: delivery(`of ${id}`) } }),
  );
  expect(state.takeSettled()[0]?.platformIds.notices).toMatchObject({
    tell: { id: 'of tell' },
    say: { id: 'of say' },
  });
});

describe('a shard with only side steps left', () => {
  const plan = steps({ a: [], tell: ['a'], b: ['tell'] }, { tell: aside });

  it('only side steps are left while every unfinished asset is in a side step', () => {
    const state = new KeyedShard(plan, assets('x', 'y'));
    expect(state.onlyAside).toBe(false);
    const [first] = startAll(state, plan);
    state.apply(first?.index ?? 0, first?.given ?? [], [done('x')]);
    startAll(state, plan);
    expect(state.onlyAside).toBe(false);
    state.apply(0, assets('y'), [failed('y')]);
    expect(state.onlyAside).toBe(true);
  });

  it('onlyAside is false once an asset continues, and once all have ended', () => {
    const state = new KeyedShard(plan, assets('x'));
    const states: boolean[] = [];
    runAll(state, plan, (_id, { key }) => {
      states.push(state.onlyAside);
      return done(key);
    });
    expect(states).toEqual([false, true, false]);
    expect(state.onlyAside).toBe(false);
  });
});
