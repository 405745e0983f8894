// Which notices a run sends about changed pictures: one each time that it begins to wait for them, with an id of its
// own.
import { describe, expect, test } from 'vitest';
import { messages } from '../../src/plan/contract/messages.ts';
import { causeOfPause } from '../../src/plan/run/general-pause.ts';
import { picturesChangedCode, type RunCause } from '../../src/plan/run/run-cause.ts';
import {
  causeFailure,
  gate,
  type PipelineScenarioRun,
  usePipelineScenarios,
} from './_pipeline-scenario.ts';
import { oneByOne, retryLaterCause, totals } from './_scenario-values.ts';
import { useTimeSkipping } from './_temporal.ts';

const inUse = useTimeSkipping();
const runs = usePipelineScenarios(() => {
  const { client, nativeConnection } = inUse.environment;
  return { client, connection: nativeConnection };
});

const notify = [{ url: 'https://a.example/in', secretFrom: 'HOOK', on: ['waiting'] }];
const picturesChanged: RunCause = { ...retryLaterCause, code: picturesChangedCode };
const allPaused = causeOfPause({
  taskQueue: 'renderline',
  pipeline: null,
  by: 'ann',
  at: '2026-01-02T03:04:05Z',
  reason: 'a fire drill',
});

/** The ids of the notices that the run has started, without that of the run. */
async function noticeIdsOf({ handle }: PipelineScenarioRun): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => {
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (child?.workflowType?.name !== 'runNotice') return [];
    return [(child.workflowId ?? '').slice(handle.workflowId.length)];
  });
}

test('a run that waits for a second time sends a notice with another id', async () => {
  let approved = 0;
  const run = await runs.start({
    assets: 4,
    plan: { ...oneByOne, notify },
    runStep: (shard) => {
      if (approved <= shard) throw causeFailure(picturesChanged);
      return {};
    },
  });
  for (const nth of [1, 2]) {
    await run.waitForCalls('sendNotice', nth);
    approved = nth;
    await run.handle.signal(messages.resume, undefined, { pictures: 1, rejected: 0 });
  }
  expect((await run.end()).result).toMatchObject({ outcome: 'complete', assets: totals(4, 4) });
  expect(await noticeIdsOf(run)).toEqual(['/approval-1', '/approval-1-2']);
});

test('an attempt to send a notice has an hour, since it reads the results of the whole run', async () => {
  const run = await runs.start({
    assets: 1,
    plan: { notify: [{ ...notify[0], on: ['complete'] }] },
  });
  await run.waitForCalls('sendNotice', 1);
  await run.end();
  const { workflow } = inUse.environment.client;
  const { events } = await workflow.getHandle(`${run.handle.workflowId}/notice-1`).fetchHistory();
  const [sending] = (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: activity }) => activity ?? [],
  );
  expect(Number(sending?.startToCloseTimeout?.seconds)).toBe(3_600);
  expect(Number(sending?.heartbeatTimeout?.seconds)).toBe(30);
});

describe('changed pictures of a paused run', () => {
  test.each<[string, RunCause | null, number]>([
    ['by a general pause are reported', allPaused, 1],
    ['by a person are reported', null, 1],
    ['for changed pictures are not reported again', picturesChanged, 1],
    ['for too many failures are not reported', { ...allPaused, code: 'TOO_MANY_FAILURES' }, 0],
  ])('changed pictures of a run that is paused %s', async (_what, cause, notices) => {
    const held = gate();
    const run = await runs.start({
      assets: 2,
      plan: { ...oneByOne, notify },
      runStep: async () => {
        await held.passed;
        return {};
      },
    });
    await run.waitForCalls('make', 1);
    // The test sends the signals that shards would send.
    if (cause === null) await run.signal('pause');
    else if (cause === allPaused)
      await run.handle.signal(messages.pause, undefined, { general: allPaused });
    else await run.handle.signal(messages.shardBlocked, 0, cause);
    await run.handle.signal(messages.shardBlocked, 0, picturesChanged);
    await run.waitForProgress('it is paused', ({ state }) => state === 'paused');
    await run.signal('resume');
    held.open();
    await run.end();
    expect(await noticeIdsOf(run)).toHaveLength(notices);
  });
});
