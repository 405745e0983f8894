// A step with a request per asset at a low rate limit: its calls wait, because an attempt that gives up starts again.
import { expect, it } from 'vitest';
import { RateBudget } from '../../../src/api/rate-limit/budget.ts';
import { RequestCounter } from '../../../src/api/request-counter.ts';
import { callOptions } from '../../../src/engine/submit/call-outcome.ts';
import { mapBounded } from '../../../src/store/objects/map-bounded.ts';
import { ManualClock } from '../../api/_clock.ts';

it('4,000 models in 80 calls are read in 40 minutes at 100 requests per minute, without a failed call', async () => {
  const clock = new ManualClock(0);
  const budget = new RateBudget({ limit: 100, clock });
  const { signal } = new AbortController();
  const options = callOptions({ requests: new RequestCounter(), signal });
  const read = async () => {
    const release = await budget.acquire(options);
    release();
  };
  const models = Array.from({ length: 50 }, (_, model) => model);
  const calls = Array.from({ length: 80 }, () => mapBounded(models, read, { signal }));
  const outcomes = Promise.allSettled(calls);
  await clock.advance(40 * 60_000);
  const failures = (await outcomes).filter(({ status }) => status === 'rejected');
  expect(failures).toEqual([]);
});
