// Tests that `doctor` reports schedules that it cannot decrypt, because it cannot check anything about them.
import type { ScheduleDescription } from '@temporalio/client';
import { expect, test } from 'vitest';
import { checkReadableSchedules } from '../../../src/app/doctor/remote.ts';

test('unreadable schedules cause a warning only if they belong to the task queue', () => {
  const note = {
    code: 'CODEC_KEY_MISSING',
    message: 'The key "new" is not set here.',
    fix: 'Set it.',
  };
  const scheduleAt = (scheduleId: string, taskQueue: string, input: object) =>
    // The check reads only these fields.
    ({ scheduleId, action: { taskQueue, args: [input] } }) as unknown as ScheduleDescription;
  const schedules = [
    scheduleAt('shop/nightly', 'shop', { renderlineUnreadable: note }),
    scheduleAt('shop/weekly', 'shop', {}),
    scheduleAt('vault/nightly', 'vault', { renderlineUnreadable: note }),
  ];
  expect(checkReadableSchedules(schedules, 'shop')).toEqual([
    {
      name: 'schedules',
      state: 'warn',
      message: 'shop/nightly: The key "new" is not set here.',
      fix: 'Set it.',
      exit: 0,
    },
  ]);
});
