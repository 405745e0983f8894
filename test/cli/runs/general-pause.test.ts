// `pause --all` and `resume --all`: refused command lines, and what the commands print.
import { expect, test } from 'vitest';
import type { PauseAllResult } from '../../../src/app/general-pause/pause-all.ts';
import type { ResumeAllResult } from '../../../src/app/general-pause/resume-all.ts';
import { formatPauseAll, formatResumeAll } from '../../../src/cli/runs/format-general-pause.ts';
import { run } from '../_run-cli.ts';

test.each([
  [['pause'], 'Specify a run or --all.'],
  [['resume'], 'Specify a run or --all.'],
  [
    ['pause', 'r-1', '--all', '--reason', 'x'],
    '--all applies to all runs and cannot be combined with the run r-1.',
  ],
  [
    ['resume', 'r-1', '--all'],
    '--all applies to all runs and cannot be combined with the run r-1.',
  ],
  [['pause', 'r-1', '--pipeline', 'a'], '--pipeline requires --all.'],
  [['resume', '--pipeline', 'a'], '--pipeline requires --all.'],
  [['resume', '--all', '--new-records'], '--new-records requires a run.'],
  [['pause', '--all'], '--all needs a --reason.'],
])('%j is refused before any request', async (argv, message) => {
  const ran = await run([...argv, '--json']);
  expect([ran.code, ran.json()]).toMatchObject([2, { code: 'USAGE', message }]);
});

const plain = (_format: unknown, text: string) => text;
const pause = {
  taskQueue: 'shop',
  pipeline: null,
  by: 'ann@studio-2',
  at: '2026-11-27T20:01:02.345Z',
  reason: 'wrong colours',
};
const since = 'since 2026-11-27T20:01:02Z by ann@studio-2: wrong colours';

const paused: PauseAllResult = {
  schema: 'renderline/pause-all/v1',
  pause,
  isNew: true,
  runs: 12,
  schedules: { held: ['nightly', 'weekly'], pausedBefore: ['monthly'] },
  eventTriggers: ['on-upload'],
  workers: 2,
};

test.each<[string, Partial<PauseAllResult>, string[]]>([
  [
    'everything',
    {},
    [
      `Everything on task queue "shop" has been paused ${since}.`,
      '  runs       12 open runs asked to pause; submitted work continues on the platform',
      '  schedules  nightly, weekly',
      '             monthly (already paused; will stay paused)',
      '  events     on-upload (keep their events)',
      'Nothing is started until: renderline resume --all',
    ],
  ],
  [
    'one run, for a repeated pause without a worker',
    {
      isNew: false,
      runs: 1,
      schedules: { held: [], pausedBefore: [] },
      eventTriggers: [],
      workers: 0,
    },
    [
      `Everything on task queue "shop" has been paused ${since}.`,
      'This pause was already active, and its first reason still applies. Anything not yet paused is paused now.',
      '  runs       1 open run asked to pause; submitted work continues on the platform',
      'No worker responds. Runs pause when a worker starts, before they submit anything.',
      'Nothing is started until: renderline resume --all',
    ],
  ],
])('pause --all prints %s', (_what, more, lines) => {
  expect(formatPauseAll({ ...paused, ...more }, plain).split('\n')).toEqual(lines);
});

const resumed: ResumeAllResult = {
  schema: 'renderline/resume-all/v1',
  taskQueue: 'shop',
  pipeline: null,
  ended: pause,
  runs: 12,
  schedules: [
    { schedule: 'nightly', due: 2, backfill: 'renderline backfill nightly --from A --to B' },
    { schedule: 'weekly', due: 0, backfill: null },
  ],
  eventTriggers: [{ pipeline: 'on-upload', objects: 3, isHeld: false }],
  httpStarts: [{ pipeline: 'shop', refused: 2, isHeld: false }],
  remaining: [],
};

test.each<[string, Partial<ResumeAllResult>, string[]]>([
  [
    'missed starts, with the command for them',
    {},
    [
      `Resumed what was paused since 2026-11-27 20:01:02Z by ann@studio-2: wrong colours`,
      '  runs       12 open runs asked to continue, unless paused separately',
      '  schedules  nightly, weekly',
      '  events     on-upload starts runs for the events that it kept: 3 objects',
      '  HTTP       shop: 2 starts refused; callers can now retry them',
      'nightly: 2 starts were skipped while paused. To start their runs:',
      '  renderline backfill nightly --from A --to B',
    ],
  ],
  [
    'another pause that still applies',
    {
      schedules: [],
      eventTriggers: [{ pipeline: 'on-upload', objects: 3, isHeld: true }],
      httpStarts: [{ pipeline: 'shop', refused: 2, isHeld: true }],
    },
    [
      `Resumed what was paused since 2026-11-27 20:01:02Z by ann@studio-2: wrong colours`,
      '  runs       12 open runs asked to continue, unless paused separately',
      '  events     on-upload still keeps its events: 3 objects',
      '  HTTP       shop: 2 starts refused; they are still refused',
    ],
  ],
  [
    'no pause, while one pipeline is still paused',
    {
      ended: null,
      runs: 0,
      schedules: [],
      eventTriggers: [],
      httpStarts: [],
      remaining: [{ ...pause, pipeline: 'nightly' }],
    },
    [
      'No `pause --all` was active. Anything that an interrupted `pause --all` had paused is resumed.',
      '  runs       0 open runs asked to continue, unless paused separately',
      `Still paused. Everything of pipeline "nightly" has been paused ${since}.`,
      '  renderline resume --all --pipeline nightly',
    ],
  ],
])('resume --all prints %s', (_what, more, lines) => {
  expect(formatResumeAll({ ...resumed, ...more }, plain).split('\n')).toEqual(lines);
});
