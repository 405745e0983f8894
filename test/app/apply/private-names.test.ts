// Schedules, event triggers and HTTP starts that were applied with another setting of RENDERLINE_PRIVATE_NAMES. They
// have other ids, and `--prune` removes exactly these objects.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { planUndeclaredHttpStarts } from '../../../src/app/apply/http-start-changes.ts';
import {
  applyChange,
  type Change,
  type PlannedChange,
} from '../../../src/app/apply/planned-change.ts';
import { planUndeclaredSchedules } from '../../../src/app/apply/schedule-changes.ts';
import { planUndeclaredTriggers } from '../../../src/app/apply/trigger-changes.ts';
import { toPrivateName } from '../../../src/temporal/private-names.ts';
import { serverWith } from './_server.ts';

const hidden = toPrivateName('nightly');

/** A server with all three of `nightly` under both ids. Names are not private here. */
function server() {
  const removed: string[] = [];
  const remove = (id: string) => async () => {
    removed.push(id);
  };
  const actions: Record<string, object> = {
    '': { memo: { renderlineSchedule: { schedule: 'nightly', path: '/nightly.yaml' } } },
    'http-start:': {
      args: [{ schema: 'renderline/http-start/v1', pipeline: 'nightly', path: '/nightly.yaml' }],
    },
  };
  const schedules = Object.entries(actions).flatMap(([prefix, action]) =>
    ['nightly', hidden].map((id) => ({
      scheduleId: prefix + id,
      action: { ...action, taskQueue: 'q' },
      state: { paused: false },
      memo: prefix === '' ? { renderline: { schema: 'renderline/schedule/v1' } } : {},
    })),
  );
  const renderlineTrigger = { pipeline: 'nightly', event: 'model.processed', facts: {} };
  const client = serverWith({
    schedules,
    triggers: ['nightly', hidden].map((id) => ({
      workflowId: `event-trigger/${id}`,
      memo: { renderlineTrigger },
      taskQueue: 'q',
    })),
    ofSchedule: (id) => ({ delete: remove(id) }),
    ofWorkflow: (id) => ({ cancel: remove(id) }),
  });
  return { client, removed };
}

/** Plans and makes the changes of one kind. Returns the changes. */
type Apply = (client: Client, prune: boolean) => Promise<{ change: string }[]>;

const declaredFile = { file: 'nightly.yaml', path: '/nightly.yaml', plan: { pipeline: 'nightly' } };
const subject = { subject: 'schedule', name: 'nightly', pipeline: 'nightly' } as const;

const applyPlanned = async <C extends Change>(client: Client, planned: PlannedChange<C>[]) => {
  for (const one of planned) await applyChange({ client, taskQueue: 'q' }, subject, one);
  return planned.map(({ change }) => change);
};
const applySchedules: Apply = async (client, prune) => {
  const scheduled = [{ ...declaredFile, declaration: { name: null } }];
  const files = { scheduled, pipelines: [] };
  return applyPlanned(client, await planUndeclaredSchedules(client, files, 'q', { prune }));
};
const applyTriggers: Apply = async (client, prune) => {
  const files = { eventTriggered: [declaredFile], pipelines: [] };
  return applyPlanned(client, await planUndeclaredTriggers(client, files, 'q', { prune }));
};
const applyHttpStarts: Apply = async (client, prune) => {
  const files = { httpStarted: [{ start: { pipeline: 'nightly' } }], pipelines: [] };
  return applyPlanned(client, await planUndeclaredHttpStarts(client, files, 'q', { prune }));
};

test.each<[string, Apply, string]>([
  ['schedule', applySchedules, ''],
  ['event trigger', applyTriggers, 'event-trigger/'],
  ['HTTP start', applyHttpStarts, 'http-start:'],
])(
  'the %s under the other id is listed, and removed with --prune',
  async (_what, apply, prefix) => {
    const { client, removed } = server();
    expect(await apply(client, false)).toMatchObject([{ change: 'undeclared' }]);
    expect(removed).toEqual([]);
    expect(await apply(client, true)).toMatchObject([{ change: 'remove' }]);
    expect(removed).toEqual([prefix + hidden]);
  },
);
