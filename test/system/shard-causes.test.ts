// What a shard does with a wait that a run cause ends, such as a refused key. The workflow is real; the activities only
// record their input.
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { runCauseType } from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import { step } from '../plan/_steps.ts';
import { type ShardScenarioRun, useShardScenarios } from './_shard-scenario.ts';

const shards = useShardScenarios();
const dayMs = 24 * 3_600_000;

/** In skipped time, missing heartbeats do not mean a dead worker. */
const quiet = { startToCloseMs: dayMs, heartbeatMs: dayMs, timeoutMs: dayMs };

const timesOf = ({ calls }: ShardScenarioRun, id: string) =>
  calls.filter((call) => call.step === id).map(({ at }) => at);

it('a wait that a run cause ends starts again after the resume, while other waits start during the pause', async () => {
  const cause = { code: 'LIMIT', message: 'full', fix: 'more', kind: 'later' };
  const played = await shards.start('refused-wait', {
    steps: [
      step('refused', [], { ...quiet, mode: 'wait', batch: 250 }),
      step('call', [], quiet),
      step('other', ['call'], { ...quiet, mode: 'wait', batch: 250 }),
    ],
    assets: 2,
    runStep: (input, nth) => {
      if (input.step.id === 'refused' && nth === 0)
        throw ApplicationFailure.create({
          type: runCauseType,
          nonRetryable: true,
          details: [cause],
        });
      return { takesMs: input.step.id === 'call' ? 600_000 : 0 };
    },
  });
  await played.pass(60);
  expect([timesOf(played, 'refused'), timesOf(played, 'other')]).toEqual([[0], [10]]);
  await played.handle.signal(messages.resume);
  const { totals } = await played.handle.result();
  expect(timesOf(played, 'refused')).toEqual([0, 60]);
  expect(totals).toMatchObject({ complete: 2, failed: 0 });
});

it('the requests of a step that fails permanently are counted', async () => {
  const played = await shards.start('failed-requests', {
    steps: [step('call', [], quiet)],
    assets: 2,
    runStep: () => {
      const report = { requests: { createJob: 1, confirmJobUploads: 2 } };
      throw ApplicationFailure.nonRetryable('no', 'HTTP_403', report);
    },
  });
  const { totals, requests } = await played.handle.result();
  expect(totals).toMatchObject({ complete: 0, failed: 2 });
  expect(requests).toEqual({ createJob: 1, confirmJobUploads: 2 });
});
