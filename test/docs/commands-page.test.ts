// docs/commands.md contains every field of these JSON objects. The compiler compares the lists with the types.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PipelineChange } from '../../src/app/apply/planned-change.ts';
import type { ScheduleChange } from '../../src/app/apply/schedule-changes.ts';
import type { FailuresShape } from '../../src/app/failures/list-failures.ts';
import type { RunRow } from '../../src/app/runs/list-runs.ts';
import type { RunShape } from '../../src/app/runs/run-shape.ts';
import type { StrandedRun } from '../../src/app/runs/stranded-runs.ts';
import type { ListedSchedule } from '../../src/app/schedules/list.ts';
import type { StartedWorker } from '../../src/app/worker/serve-worker.ts';
import { commands, nameOf } from '../../src/cli/commands/index.ts';
import type { SourceVerdict } from '../../src/store/discovery/key-verdict.ts';

type Names<Of extends PropertyKey> = Record<Of, 0>;

const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');

/** The table at the start of the page. */
const [table = ''] = page.split('\n## ');

/** The row of a schema in the table, or its section. */
function textOf(schema: string): string {
  const [, section] = page.split(`### \`renderline/${schema}\`\n`);
  if (section !== undefined) return section.split('\n##')[0] ?? '';
  return page.split('\n').find((line) => line.startsWith(`| \`renderline/${schema}\``)) ?? '';
}

const run: Names<keyof RunRow> = {
  run: 0,
  pipeline: 0,
  state: 0,
  schedule: 0,
  againOf: 0,
  startedAt: 0,
  endedAt: 0,
  seconds: 0,
  unreadable: 0,
  stranded: 0,
  paid: 0,
};
const stranded: Names<keyof StrandedRun> = { why: 0, fix: 0 };
// `explain` never forces an asset.
const verdicts: Names<Exclude<SourceVerdict, 'force'>> = {
  new: 0,
  changed: 0,
  recipe: 0,
  retry: 0,
  redeliver: 0,
  age: 0,
  unchanged: 0,
  touched: 0,
  later: 0,
  refused: 0,
  absent: 0,
};
const schedule: Names<keyof ListedSchedule> = {
  schedule: 0,
  file: 0,
  times: 0,
  timezone: 0,
  overlap: 0,
  taskQueue: 0,
  paused: 0,
  days: 0,
  next: 0,
  warnings: 0,
  last: 0,
  skipped: 0,
  unreadable: 0,
};
const worker: Names<Exclude<keyof StartedWorker['shape'], 'schema'>> = {
  workspace: 0,
  taskQueue: 0,
  host: 0,
  namespace: 0,
  address: 0,
  healthPort: 0,
  deployment: 0,
  buildId: 0,
  payloads: 0,
  tuning: 0,
  metricsUrl: 0,
};
const group: Names<keyof FailuresShape['groups'][number]> = {
  code: 0,
  title: 0,
  fix: 0,
  docs: 0,
  node: 0,
  count: 0,
  message: 0,
  attempts: 0,
  keys: 0,
  rerunCommand: 0,
};
const failure: Names<Exclude<keyof RunShape['failures'][number], 'sourceId'>> = {
  key: 0,
  node: 0,
  code: 0,
  message: 0,
  attempts: 0,
  title: 0,
  fix: 0,
  docs: 0,
};
const change: Names<keyof ScheduleChange | keyof PipelineChange> = {
  schedule: 0,
  pipeline: 0,
  change: 0,
  file: 0,
  fields: 0,
  paused: 0,
  takenFrom: 0,
  next: 0,
  nextFrom: 0,
};

test('the table contains every command', () => {
  const missing = commands
    .map(nameOf)
    .filter((name) => !new RegExp(`^\\|.*\`${name}\\b`, 'm').test(table));
  expect(missing).toEqual([]);
});

test.each([
  ['runs/v1', '', { ...run, ...stranded }],
  ['explain/v1', '| `verdict`', verdicts],
  ['schedules/v1', '', schedule],
  ['worker/v1', '', worker],
  ['failures/v1', '', group],
  ['run/v1', '| `failures[]`', failure],
  ['apply/v1', '', change],
])('the section of %s %s contains every field', (schema, start, names) => {
  const lines = textOf(schema).split('\n');
  const text = lines.filter((line) => line.startsWith(start)).join('\n');
  const missing = Object.keys(names).filter(
    (name) => !new RegExp(`\`${name}(\\[\\])?\``).test(text),
  );
  expect(missing).toEqual([]);
});
