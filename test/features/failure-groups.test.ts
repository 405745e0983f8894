// Groups of failures. The message of a group claims nothing that is true for one asset only.
import { expect, test } from 'vitest';
import { DailyReportCauses } from '../../src/app/report/read-daily-report.ts';
import { groupFailures } from '../../src/features/failure-groups.ts';

const failuresWith = (messages: readonly string[]) =>
  messages.map((message, index) => ({
    key: `shoe-${index}`,
    node: 'shots',
    code: 'RENDER_FAILED',
    attempts: 1,
    message,
  }));

const cases: [string, string[], string][] = [
  ['one asset', ['no light'], 'no light'],
  ['assets with the same message', ['no light', 'no light'], 'no light'],
  [
    'assets with different messages',
    ['no light', 'no camera', 'no light'],
    'no light (the first of several messages)',
  ],
];

test.each(cases)('the message of a group of %s', (_what, messages, expected) => {
  const [group] = groupFailures(failuresWith(messages));
  expect(group).toMatchObject({ count: messages.length, message: expected });
});

test.each(cases)('the message of a cause of runs with %s', (_what, messages, expected) => {
  const causes = new DailyReportCauses();
  for (const [index, failure] of failuresWith(messages).entries()) {
    const run = { run: `run-${index}`, pipeline: 'shop', status: 'completed', memo: null } as const;
    causes.add(run, [failure], new Set());
  }
  expect(causes.sorted()).toMatchObject([{ count: messages.length, message: expected }]);
});
