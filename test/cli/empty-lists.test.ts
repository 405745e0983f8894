// What commands print if there is nothing to list or to change, and the list of runs.
import { expect, test } from 'vitest';
import { formatRuns } from '../../src/cli/commands/runs/runs.ts';
import { formatChangeCounts } from '../../src/cli/schedules/format-changes.ts';
import { createPaidCounts } from '../../src/plan/run/paid-work.ts';

const plain = (_format: unknown, text: string) => text;

test.each([
  [undefined, 'No runs yet. Start one: renderline run FILE'],
  ['shoes', 'No runs of pipeline "shoes". List all runs: renderline runs'],
])('runs --pipeline %s prints: %s', (pipeline, text) => {
  expect(formatRuns([], pipeline, plain)).toBe(text);
});

test('each run is a line that starts with its id and contains times that --since accepts', () => {
  const row = {
    run: 'shoes-1',
    pipeline: 'shoes',
    state: 'complete',
    schedule: null,
    againOf: null,
    startedAt: '2026-11-22T02:00:00.123Z',
    endedAt: '2026-11-22T02:01:05.123Z',
    seconds: 65,
    unreadable: null,
    stranded: null,
  };
  const paid = { ...createPaidCounts(), failedRenders: 0, possibleDuplicates: createPaidCounts() };
  expect(formatRuns([row], undefined, plain)).toBe(
    'shoes-1  complete         2026-11-22 02:00:00Z  1 min 5 s',
  );
  expect(formatRuns([{ ...row, paid: { ...paid, renders: 2 } }], undefined, plain)).toBe(
    'shoes-1  complete         2026-11-22 02:00:00Z  1 min 5 s     2 renders',
  );
});

test('apply without changes prints that nothing was changed', () => {
  const nothing = { changes: [], eventTriggers: [], httpStarts: [], warnings: [] };
  const shape = {
    schema: 'renderline/apply/v1' as const,
    dryRun: false,
    taskQueue: 'q',
    ...nothing,
  };
  expect(formatChangeCounts(shape)).toBe('Nothing was changed.');
});
