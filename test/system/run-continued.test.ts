// A run of many shards continues as new whatever is under way, on a real server: nothing is lost, nothing is begun twice.
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import { connectPlace, gate, usePlayedPipelines, useSilence } from './_played-pipeline.ts';
import { expectCalls, failing, failuresIn, totals } from './_played-words.ts';
import { useDevServer } from './_temporal.ts';

// So few events that a run of several shards continues as new.
useSilence();
const server = useDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 30 } });
const runs = usePlayedPipelines(() => connectPlace(server.env));

/** Three of the six shards at once. */
const many: Partial<Plan> = { window: 3, inFlight: 1_000 };

describe('a run of many shards', () => {
  test('continues as new while one of them goes on, and counts it when it ends', async () => {
    const made = gate();
    const run = await runs.start({
      assets: 12,
      plan: many,
      make: async (shard) => {
        if (shard === 0) await made.passed;
        return shard === 0 ? failing(shard, [1]) : {};
      },
    });
    await run.untilSays('the others are done', ({ shardsDone }) => shardsDone === 5);
    expect(await run.executions()).toBeGreaterThan(1);
    made.open();
    const { result } = await run.end();
    expect(result).toMatchObject({
      outcome: 'partial_failure',
      assets: totals(12, 11, 1),
      requests: { listModels: 1, createModels: 6 },
    });
    expect(failuresIn(result?.failures)).toEqual(['0-1 BAD']);
    expectCalls(run, {
      discover: [''],
      open_shard: ['0', '1', '2', '3', '4', '5'],
      end_strays: [],
    });
  });
});
