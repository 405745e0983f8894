// Tests the events of finalized assets: counts by outcome, and by codes from a bounded set.
import { afterEach, expect, it } from 'vitest';
import { emitFinalized } from '../../activities/emit-events.ts';
import type { Failure } from '../../src/plan/types.ts';
import { type FinalizedEvent, finalizedEvents } from '../../src/telemetry/events.ts';

let stop = () => {};
afterEach(() => stop());

const failed = (code: string) => ({
  key: 'a',
  platformIds: {},
  outcome: 'failed' as const,
  failure: { key: 'a', code } as Failure,
});

it('outcomes are counted, and failures are counted by code, with one label for all unlisted codes', () => {
  const heard: FinalizedEvent[] = [];
  stop = finalizedEvents.subscribe((news) => heard.push(news));
  emitFinalized({ context: { pipeline: 'shoes', run: 'r' }, shard: 0 }, [
    { key: 'b', platformIds: {}, outcome: 'complete', failure: null },
    failed('RENDER_FAILED'),
    failed('RENDER_FAILED'),
    failed('INVENTED_TODAY'),
    failed('INVENTED_TOMORROW'),
  ]);
  expect(heard).toEqual([
    {
      pipeline: 'shoes',
      run: 'r',
      outcomes: { complete: 1, failed: 4 },
      codes: { RENDER_FAILED: 2, OTHER: 2 },
    },
  ]);
});
