// A folder may declare many schedules. `apply` compares several of them with Temporal at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { planDeclaredSchedules } from '../../../src/app/apply/schedule-changes.ts';
import { compileText } from '../../../src/compile/compile.ts';
import { computeDays, toScheduleDays } from '../../../src/compile/schedule/schedule-days.ts';
import { serverWith } from './_server.ts';

function declared(name: string) {
  const text = [
    `name: ${name}`,
    'connectors: { m: { type: local, path: models } }',
    'records: m',
    'nodes: [{ id: take, type: connector_poll, config: { connector: m } }]',
    'schedule: { cron: "0 2 * * *" }',
  ].join('\n');
  const file = `${name}.yaml`;
  const options = { cwd: '/', fileFolder: '/', environment: {}, parameters: {} };
  const { schedules, plan, limits } = compileText(text, file, options);
  const [declaration] = schedules;
  if (plan === null || declaration === undefined) throw new Error('the text is wrong');
  const days = toScheduleDays(declaration, [], computeDays(0));
  const place = { file, path: `/${file}`, taskQueue: 'q', searchable: false };
  return { declaration, days, calendars: [], plan, limits, ...place };
}

it('sixteen schedules are compared at a time, and listed in the order of their files', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `pipeline-${100 + index}`);
  let running = 0;
  let highest = 0;
  const client = serverWith({
    schedules: [],
    triggers: [],
    ofSchedule: (id) => ({
      async describe() {
        running += 1;
        highest = Math.max(highest, running);
        await nextTurn();
        running -= 1;
        throw new ScheduleNotFoundError('none', id);
      },
    }),
    ofWorkflow: (id) => ({
      async describe() {
        throw new WorkflowNotFoundError('none', id, undefined);
      },
    }),
  });

  const planned = await planDeclaredSchedules(client, names.map(declared), 0);

  expect(planned.map(({ change: { schedule, change, file } }) => [schedule, change, file])).toEqual(
    names.map((name) => [name, 'create', `${name}.yaml`]),
  );
  expect(highest).toBe(16);
});
