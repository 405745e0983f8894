// A run whose quota of renders is used up. In a file of its own: the server that skips time may stop doing so after a
// run that ends in the same task as its last shard.
import { Context } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { usePipelineScenarios } from './_pipeline-scenario.ts';
import { oneByOne, totals } from './_scenario-values.ts';
import { useTimeSkipping } from './_temporal.ts';

const inUse = useTimeSkipping();
const runs = usePipelineScenarios(() => {
  const { client, nativeConnection } = inUse.environment;
  return { client, connection: nativeConnection };
});

test('a shard whose assets wait for the next month of a quota lets other shards start', async () => {
  let calls = 0;
  const run = await runs.start({
    assets: 6,
    plan: oneByOne,
    runStep: () => {
      calls += 1;
      if (calls > 1) return {};
      // Times are those of the time-skipping server.
      const nowMs = Context.current().info.currentAttemptScheduledTimestampMs;
      const untilMs = nowMs + 20 * 24 * 3_600_000;
      return { done: [], hold: { untilMs, until: 'the first', for: 'the quota' } };
    },
  });
  expect((await run.end()).result).toMatchObject({ outcome: 'complete', assets: totals(6, 6) });
  expect(run.calls.filter((call) => call.startsWith('make'))).toEqual([
    'make 0: 0 1',
    'make 1: 0 1',
    'make 2: 0 1',
    'make 0: 0 1',
  ]);
});
