// Schedules without a server: which files are applied, how a pause is kept, how times are parsed and formatted.
import type { Client, ScheduleDescription } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import {
  planScheduleChange,
  planUndeclaredSchedules,
} from '../../src/app/apply/schedule-changes.ts';
import { parseMoment } from '../../src/app/schedules/backfill.ts';
import { pauseStateAfterApply } from '../../src/app/schedules/schedule-facts.ts';
import {
  type DeclaredSchedule,
  formatUnpausedNote,
  scheduleOptions,
} from '../../src/app/schedules/schedule-options.ts';
import { formatClockTime } from '../../src/cli/schedules/format.ts';
import { formatScheduleChanges } from '../../src/cli/schedules/format-changes.ts';
import { compileText } from '../../src/compile/compile.ts';
import { computeDays, toScheduleDays } from '../../src/compile/schedule/schedule-days.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

const away = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

function pipeline(name: string, schedule: string): string {
  return [
    `name: ${name}`,
    'parameters: { folder: { type: path, default: models } }',
    'connectors: { m: { type: local, path: "${{ params.folder }}" } }',
    'records: m',
    'nodes: [{ id: take, type: connector_poll, config: { connector: m } }]',
    schedule,
  ].join('\n');
}

const nightly = 'schedule: { cron: "0 2 * * *" }';

async function apply(files: Record<string, string>, ...more: string[]) {
  const cwd = folderWith(files);
  const ran = await run(['apply', '.', '--json', ...more], { cwd, env: away });
  return {
    code: ran.code,
    stderr: ran.stderr,
    error: ran.json<{ code: string; message: string; problems?: { code: string }[] }>(),
  };
}

describe('apply of a folder', () => {
  it('apply refuses invalid files before any request, and shows all of them', async () => {
    const files = {
      'a.yaml': pipeline('a', 'schedule: { cron: "0 25 * * *" }'),
      'b.yml': pipeline('b', 'schedule: { every: 0s }'),
    };
    const { code, stderr, error } = await apply(files);
    expect([code, error.code, error.message]).toEqual([
      2,
      'INVALID_PIPELINE',
      'a.yaml and b.yml are invalid.',
    ]);
    expect(error.problems).toEqual(
      expect.arrayContaining(
        ['rl701', 'rl705'].map((code) =>
          expect.objectContaining({ docs: `docs/errors.md#${code}` }),
        ),
      ),
    );
    expect(stderr).toContain('a.yaml:6:22 error RL701');
    expect(stderr).toContain('b.yml:6:20 error RL705');
  });

  it('apply ignores test files, and settings that contain only comments', async () => {
    const { error } = await apply({
      'a.yaml': pipeline('a', nightly),
      'a.test.yaml': 'tests: [\n',
      'renderline.yaml': '# baseUrl: https://example.com\n',
    });
    expect(error.code).not.toBe('INVALID_PIPELINE');
  });

  it('apply refuses a file that cannot be parsed, since it may have a schedule', async () => {
    expect((await apply({ 'a.yaml': 'name: [', 'b.yaml': pipeline('b', nightly) })).code).toBe(2);
  });

  it('apply ignores settings, notes and pipelines without a schedule, even invalid ones', async () => {
    const files = {
      'renderline.yaml': 'taskQueue: x',
      'notes.md': '[',
      'hand.yaml': 'name: hand\nnodes: 5',
      'a.yaml': pipeline('a', nightly),
    };
    expect((await apply(files)).code).toBe(69);
  });

  const onEvents = (parameter: string) =>
    [
      'name: same',
      `parameters: { out: { type: path, ${parameter} } }`,
      'connectors: { m: { type: local, path: "${{ params.out }}" } }',
      'records: m',
      'nodes: [{ id: begin, type: model_ready, config: { on: model.processed } }]',
    ].join('\n');

  it.each([
    [
      'two pipelines for events with the same name',
      { 'a.yaml': onEvents('default: m'), 'b.yaml': onEvents('default: m') },
      'EVENT_TRIGGER_TWICE',
    ],
    [
      'a pipeline for events that has a parameter without a value',
      { 'a.yaml': onEvents('required: true') },
      'INVALID_PIPELINE',
    ],
    [
      'an invalid pipeline for events',
      { 'a.yaml': `${onEvents('default: m')}\nlimits: 5` },
      'INVALID_PIPELINE',
    ],
  ])('apply refuses %s', async (_what, files, code) => {
    const { code: exit, error } = await apply(files);
    expect([exit, error.code]).toEqual([2, code]);
  });

  it('apply accepts a pipeline for events and one with a schedule with the same name', async () => {
    const files = {
      'renderline.yaml': 'taskQueue: x',
      'a.yaml': onEvents('default: m'),
      'b.yaml': pipeline('same', nightly),
    };
    expect((await apply(files)).code).toBe(69);
  });

  const byHttp = 'start: { http: { secretFrom: RENDERLINE_SECRET_A } }';
  it.each([
    [
      'two pipelines with HTTP starts and the same name',
      { 'a.yaml': pipeline('same', byHttp), 'b.yaml': pipeline('same', byHttp) },
      'HTTP_START_TWICE',
    ],
    [
      'two invalid pipelines with HTTP starts',
      { 'a.yaml': pipeline('a', 'start: {}'), 'b.yaml': pipeline('b', `${byHttp}\nlimits: 5`) },
      'INVALID_PIPELINE',
    ],
  ])('apply refuses %s', async (_what, files, code) => {
    const { code: exit, error } = await apply(files);
    expect([exit, error.code, error.message]).toEqual([
      2,
      code,
      expect.stringMatching(/^a\.yaml and b\.yaml /),
    ]);
  });

  it('apply accepts a pipeline with an HTTP start and a required parameter', async () => {
    const required = pipeline('a', byHttp).replace('default: models', 'required: true');
    expect((await apply({ 'renderline.yaml': 'taskQueue: x', 'a.yaml': required })).code).toBe(69);
  });

  it('apply refuses two schedules with the same name', async () => {
    const { code, error } = await apply({
      'a.yaml': pipeline('same', nightly),
      'b.yaml': pipeline('same', nightly),
    });
    expect([code, error.code, error.message]).toEqual([
      2,
      'SCHEDULE_TWICE',
      'a.yaml and b.yaml both declare the schedule "same".',
    ]);
  });
});

function wanted(schedule: string, name = 'nightly'): DeclaredSchedule {
  const options = { cwd: '/', fileFolder: '/', environment: {}, parameters: {} };
  const compiled = compileText(pipeline(name, schedule), 'nightly.yaml', options);
  const { schedules, plan, limits } = compiled;
  const [declaration] = schedules;
  if (plan === null || declaration === undefined) throw new Error('the text is wrong');
  return {
    declaration,
    days: toScheduleDays(declaration, [], computeDays(0)),
    calendars: [],
    path: '/mine/nightly.yaml',
    plan,
    limits,
    taskQueue: 'q',
    searchable: true,
  };
}

describe('the schedule in Temporal', () => {
  it('the id of a named schedule contains the names of the pipeline and the schedule', () => {
    const one = wanted('schedule: [{ name: acme, cron: "0 2 * * *", parameters: { folder: a } }]');
    const options = scheduleOptions(one, { paused: false, note: formatUnpausedNote(one) });
    expect(options).toMatchObject({
      scheduleId: 'nightly/acme',
      action: { workflowId: 'nightly/acme', memo: { renderline: { pipeline: 'nightly' } } },
    });
  });

  it('the schedule contains names, notes and search attributes for people', () => {
    const one = wanted(nightly);
    const options = scheduleOptions(one, { paused: false, note: formatUnpausedNote(one) });
    expect(options).toMatchObject({
      scheduleId: 'nightly',
      spec: { timezone: 'UTC', jitter: 60_000 },
      policies: { overlap: 'SKIP', catchupWindow: 3_600_000, pauseOnFailure: false },
      memo: { renderline: { schema: 'renderline/schedule/v1' } },
      state: { paused: false, note: 'nightly.yaml: 0 2 * * * UTC' },
      action: {
        workflowType: 'pipelineRun',
        workflowId: 'nightly',
        taskQueue: 'q',
        staticSummary: 'nightly (nightly.yaml)',
        memo: { renderline: { pipeline: 'nightly', file: 'nightly.yaml' } },
      },
    });
    expect(options.typedSearchAttributes).toMatchObject([{ value: 'nightly' }]);
  });

  it('the schedule starts a run with the plan and without a name, which the server assigns', () => {
    const one = wanted(nightly);
    const { args } = scheduleOptions(one, { paused: false, note: '' }).action;
    expect(args).toEqual([{ plan: one.plan, epoch: 0, searchable: true }]);
    const capped = scheduleOptions({ ...one, limits: { renders: 5 } }, { paused: false, note: '' });
    expect(capped.action.args).toMatchObject([{ limits: { renders: 5 } }]);
  });
});

describe('a schedule with the same name in two locations', () => {
  const mine = '/mine/nightly.yaml';
  const theirs = '/theirs/nightly.yaml';
  const daily = 'schedule: { cron: "0 2 * * *", parameters: { folder: a } }';
  const hourly = 'schedule: { cron: "0 * * * *", parameters: { folder: a } }';
  const named = (name: string) =>
    `schedule: [{ name: ${name}, cron: "0 2 * * *", parameters: { folder: a } }]`;

  /** Description of a schedule that was applied from a file at this path. */
  function described(one: DeclaredSchedule, path: string | undefined): ScheduleDescription {
    const { spec, action, policies, memo, scheduleId } = scheduleOptions(
      { ...one, path: path ?? '' },
      { paused: false, note: '' },
    );
    const plain = path === undefined ? { ...action, memo: {} } : action;
    const state = { paused: false, note: '' };
    const catchupWindow = Number(policies?.catchupWindow);
    const live = { scheduleId, memo, state, action: plain };
    return {
      ...live,
      spec,
      policies: { overlap: 'SKIP', catchupWindow },
    } as unknown as ScheduleDescription;
  }

  /** A server with only this schedule. */
  function serverWith(live: ScheduleDescription | null): Client {
    const missing = Object.assign(new Error('none'), { name: 'ScheduleNotFoundError' });
    return {
      options: { loadedDataConverter: { payloadCodecs: [] } },
      withDeadline: (_at: number, call: () => Promise<unknown>) => call(),
      schedule: {
        getHandle: (name: string) => ({
          describe: async () => {
            if (live === null || live.scheduleId !== name) throw missing;
            return live;
          },
        }),
        async *list() {
          if (live !== null) yield live;
        },
      },
    } as unknown as Client;
  }

  it.each([
    ['no schedule exists', daily, null, 'create', null],
    ['the same file created it', hourly, mine, 'update', null],
    ['a file elsewhere created it', hourly, theirs, 'update', theirs],
  ] as const)('a schedule is applied if %s', async (_what, before, path, change, takenFrom) => {
    const live = path === null ? null : described(wanted(before), path);
    const planned = await planScheduleChange(serverWith(live), 'nightly.yaml', wanted(daily), 0);
    expect(planned.change).toMatchObject({ change, takenFrom });
  });

  it.each([
    ['the same file', mine, false, 'remove', null],
    ['a file elsewhere', theirs, false, 'remove', theirs],
    ['a file elsewhere, with --prune', theirs, true, 'remove', theirs],
  ] as const)(
    'a schedule is removed if the pipeline does not declare it, and it was created by %s',
    async (_what, path, prune, change, takenFrom) => {
      const live = described(wanted(named('acme')), path);
      const file = { file: 'nightly.yaml', path: mine };
      const declared = {
        scheduled: [{ ...file, plan: { pipeline: 'nightly' }, declaration: { name: 'zorn' } }],
        pipelines: [{ ...file, pipeline: 'nightly' }],
      };
      const planned = await planUndeclaredSchedules(serverWith(live), declared, 'q', { prune });
      expect(planned).toMatchObject([{ change: { schedule: 'nightly/acme', change, takenFrom } }]);
    },
  );
});

describe('a pause', () => {
  const live = (paused: boolean, note: string, pausedByFile: string | null) =>
    ({
      state: { paused, note },
      action: { memo: { renderlineSchedule: { pausedByFile } } },
    }) as unknown as ScheduleDescription;
  const held = 'schedule: { cron: "0 2 * * *", paused: fair }';
  const open = { paused: false, note: 'nightly.yaml: 0 2 * * * UTC' };
  it.each([
    ['of a new schedule is off by default', nightly, null, open],
    ['of a new schedule is that of its file', held, null, { paused: true, note: 'fair' }],
    [
      'is on if the file pauses it now',
      held,
      live(false, '', null),
      { paused: true, note: 'fair' },
    ],
    ['is off if the file no longer pauses it', nightly, live(true, 'fair', 'fair'), open],
    [
      'by a person is kept',
      nightly,
      live(true, 'stocktaking', null),
      { paused: true, note: 'stocktaking' },
    ],
    [
      'by a person is kept after a pause by the file',
      nightly,
      live(true, 'stocktaking', 'fair'),
      { paused: true, note: 'stocktaking' },
    ],
    [
      'by the file is kept, although a person resumed the schedule',
      held,
      live(false, 'go', 'fair'),
      { paused: true, note: 'fair' },
    ],
  ])('a pause %s', (_name, schedule, before, after) => {
    expect(pauseStateAfterApply(wanted(schedule), before)).toEqual(after);
  });
});

describe('times', () => {
  it.each([
    ['2026-01-10T01:00:00Z', 'Europe/Berlin', '2026-01-10 02:00:00 +01:00'],
    ['2026-07-10T01:00:00.400Z', 'Europe/Berlin', '2026-07-10 03:00:00 +02:00'],
    ['2026-07-10T01:00:00Z', 'America/St_Johns', '2026-07-09 22:30:00 -02:30'],
    ['2026-07-10T01:00:00Z', 'UTC', '2026-07-10 01:00:00 +00:00'],
  ])('the time %s is printed in the time zone %s', (iso, zone, shown) => {
    expect(formatClockTime(iso, zone)).toBe(shown);
  });

  it.each([
    ['2026-11-01', '2026-10-31T23:00:00.000Z'],
    ['2026-07-01', '2026-06-30T22:00:00.000Z'],
    ['2026-07-01T02:30', '2026-07-01T00:30:00.000Z'],
    ['2026-07-01 02:30:15', '2026-07-01T00:30:15.000Z'],
    ['2026-07-01T02:30Z', '2026-07-01T02:30:00.000Z'],
    ['2026-07-01T02:30-04:00', '2026-07-01T06:30:00.000Z'],
    ['2027-03-28T03:00', '2027-03-28T01:00:00.000Z'],
  ])('the time %s is read in the time zone of Berlin', (text, iso) => {
    expect(new Date(parseMoment('--from', text, 'Europe/Berlin')).toISOString()).toBe(iso);
  });

  it.each([
    'yesterday',
    '2026',
    '2026-13-01',
    '2026-11-31',
    '2027-02-29T02:00',
    '2026-11-01T25:00',
    '11/01/2026',
    '',
  ])('"%s" cannot be read as a time', (text) => {
    expect(() => parseMoment('--from', text, 'UTC')).toThrow(
      `--from "${text}" is not a date or a time.`,
    );
  });

  it('a difference is printed by field, together with the next starts', () => {
    const fields = [
      { field: 'cron', was: '0 2 * * *', is: '0 3 * * *' },
      { field: 'offset', was: '5m', is: null },
    ];
    const change = {
      schedule: 'a',
      change: 'update',
      file: 'a.yaml',
      fields,
      paused: null,
      takenFrom: null,
      next: ['2026-01-10T02:00:00.000Z', '2026-01-11T02:00:00.000Z'],
      nextFrom: 'computed',
      timezone: 'UTC',
    } as const;
    expect(
      formatScheduleChanges(
        [{ ...change, fields, next: [...change.next] }],
        (_color, text) => text,
      ),
    ).toBe(
      [
        '~ a  update  a.yaml',
        '    cron: 0 2 * * * -> 0 3 * * *',
        '    offset: 5m -> removed',
        '    next, computed  2026-01-10 02:00:00 +00:00',
        '                    2026-01-11 02:00:00 +00:00',
      ].join('\n'),
    );
  });

  it('a schedule without further starts is printed as ended', () => {
    const change = {
      schedule: 'a',
      change: 'unchanged',
      file: 'a.yaml',
      paused: null,
      takenFrom: null,
      nextFrom: 'temporal',
      timezone: 'UTC',
    } as const;
    const lines = formatScheduleChanges([{ ...change, fields: [], next: [] }], (_, text) => text);
    expect(lines).toBe('= a  unchanged  a.yaml\n    next  none: the schedule has ended');
  });
});
