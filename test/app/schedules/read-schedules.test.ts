// Schedules are read some at a time: one after the other, a thousand of them would take a minute.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ScheduleNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { readSchedules } from '../../../src/app/schedules/list.ts';
import { serverWith } from '../apply/_server.ts';

const scheduleOf = (scheduleId: string) => ({
  scheduleId,
  memo: { renderline: { schema: 'renderline/schedule/v1' } },
  spec: {},
  action: { taskQueue: 'q', args: [] },
  policies: { catchupWindow: 0 },
  state: { paused: false },
  info: { nextActionTimes: [], numActionsSkippedOverlap: 0, numActionsMissedCatchupWindow: 0 },
});

it('sixteen schedules are read at a time, and a removed schedule is left out', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `nightly-${100 + index}`);
  let running = 0;
  let highest = 0;
  const client = serverWith({
    schedules: ids.toReversed().map(scheduleOf),
    triggers: [],
    ofSchedule: (id) => ({
      async describe() {
        running += 1;
        highest = Math.max(highest, running);
        await nextTurn();
        running -= 1;
        if (id === 'nightly-120') throw new ScheduleNotFoundError('none', id);
        return scheduleOf(id);
      },
    }),
  });

  const schedules = await readSchedules(client, 0);

  const remaining = ids.filter((id) => id !== 'nightly-120');
  expect(schedules.map(({ schedule }) => schedule)).toEqual(remaining);
  expect(highest).toBe(16);
});
