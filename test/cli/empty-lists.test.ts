// What commands say if there is nothing to list or to change.
import { expect, test } from 'vitest';
import { formatRuns } from '../../src/cli/commands/runs/runs.ts';
import { formatChangeCounts } from '../../src/cli/schedules/format-changes.ts';

const plain = (_format: unknown, text: string) => text;

test.each([
  [undefined, 'No runs yet. Start one: renderline run FILE'],
  ['shoes', 'No run of a pipeline "shoes". List all runs: renderline runs'],
])('runs --pipeline %s: %s', (pipeline, text) => {
  expect(formatRuns([], pipeline, plain)).toBe(text);
});

test('apply of files without any start', () => {
  const nothing = { changes: [], eventTriggers: [], httpStarts: [], warnings: [] };
  const shape = {
    schema: 'renderline/apply/v1' as const,
    dryRun: false,
    taskQueue: 'q',
    ...nothing,
  };
  expect(formatChangeCounts(shape)).toBe('Nothing was changed.');
});
