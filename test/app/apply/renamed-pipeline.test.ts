// A file whose pipeline was renamed: what it started under the earlier name still starts runs, so it is listed.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { planUndeclaredHttpStarts } from '../../../src/app/apply/http-start-changes.ts';
import { planUndeclaredSchedules } from '../../../src/app/apply/schedule-changes.ts';
import { planUndeclaredTriggers } from '../../../src/app/apply/trigger-changes.ts';
import { serverWith } from './_server.ts';

const path = '/shop.yaml';
const applied = { file: 'shop.yaml', pipeline: 'new', path };

/** A server with a schedule, an event trigger and an HTTP start of the pipeline `old`, applied from this path. */
function serverOf(owner: string): Client {
  const entry = { schema: 'renderline/http-start/v1', pipeline: 'old', path: owner };
  const schedules = [
    { scheduleId: 'http-start:old', action: { args: [entry], taskQueue: 'q' } },
    {
      scheduleId: 'old',
      action: { memo: { renderlineSchedule: { path: owner } }, taskQueue: 'q' },
      state: { paused: false },
      memo: { renderline: { schema: 'renderline/schedule/v1' } },
    },
  ];
  const renderlineTrigger = { pipeline: 'old', event: 'model.processed', facts: { path: owner } };
  const trigger = { workflowId: 'event-trigger/old', memo: { renderlineTrigger }, taskQueue: 'q' };
  return serverWith({ schedules, triggers: [trigger] });
}

const undeclared = { change: 'undeclared' };

test.each([
  [path, 'are listed', 1],
  ['/other.yaml', 'are not listed', 0],
])('a schedule and an HTTP start that were applied from %s %s', async (owner, _result, listed) => {
  const scheduled = [{ ...applied, plan: { pipeline: 'new' }, declaration: { name: null } }];
  const httpStarted = [{ start: { pipeline: 'new' } }];
  const files = { scheduled, httpStarted, pipelines: [applied] };
  const ofSchedules = planUndeclaredSchedules(serverOf(owner), files, 'q', null);
  const ofHttp = planUndeclaredHttpStarts(serverOf(owner), files, 'q', null);
  expect(await ofSchedules).toMatchObject(
    [{ change: { schedule: 'old', ...undeclared } }].slice(0, listed),
  );
  expect(await ofHttp).toMatchObject(
    [{ change: { pipeline: 'old', ...undeclared } }].slice(0, listed),
  );
});

test.each([
  [path, 'is listed', 1],
  ['/other.yaml', 'is not listed', 0],
])('an event trigger that was applied from %s %s', async (owner, _result, listed) => {
  const files = { eventTriggered: [{ plan: { pipeline: 'new' } }], pipelines: [applied] };
  const planned = await planUndeclaredTriggers(serverOf(owner), files, 'q', null);
  expect(planned).toMatchObject([{ change: { pipeline: 'old', ...undeclared } }].slice(0, listed));
});
