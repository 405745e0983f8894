// `schedule:` in a pipeline file: what it becomes, and every mistake at its place.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, withNodes } from './_compile.ts';

/** The schedule begins at line 8. */
const withSchedule = (...lines: string[]) =>
  [withNodes(), 'schedule:', ...lines.map((line) => `  ${line}`)].join('\n');

describe('a schedule', () => {
  it('has defaults for all but its times', () => {
    expect(compile(withSchedule('cron: "0 2 * * *"'))).toMatchObject({
      ok: true,
      isScheduled: true,
      schedule: {
        cron: ['0 2 * * *'],
        interval: null,
        timezone: 'UTC',
        overlap: 'skip',
        catchUpMs: 3_600_000,
        jitterMs: 60_000,
        paused: null,
        parameters: {},
      },
    });
  });

  it('may be an interval, paused with a reason', () => {
    const text = withSchedule(
      'every: 2h',
      'offset: 15m',
      'overlap: buffer_one',
      'catchUp: 2d',
      'jitter: 0s',
      'paused: until the move is over',
    );
    expect(compile(text).schedule).toMatchObject({
      cron: [],
      interval: { everyMs: 7_200_000, offsetMs: 900_000 },
      overlap: 'buffer_one',
      catchUpMs: 172_800_000,
      jitterMs: 0,
      paused: 'until the move is over',
    });
  });

  it('is no part of the plan: another time makes no other run', () => {
    const plans = ['"0 2 * * *"', '"0 3 * * *"'].map(
      (cron) => compile(withSchedule(`cron: ${cron}`), {}).plan,
    );
    expect(plans[0]?.hash).toBe(plans[1]?.hash);
    expect(plans[0]).toEqual(compile(withNodes(), {}).plan);
  });

  it('a file without one is not scheduled; a file that cannot be read may be', () => {
    expect(compile(withNodes())).toMatchObject({ schedule: null, isScheduled: false });
    expect(compile('a: [')).toMatchObject({ schedule: null, isScheduled: true });
  });
});

describe('a mistake in a schedule is reported at its place', () => {
  const cron = 'cron: "0 2 * * *"';
  const rows: [name: string, lines: string[], places: string[]][] = [
    ['an unknown field', [cron, 'timezon: UTC'], ['10:3 RL201']],
    ['a minute that is none', ['cron: "61 2 * * *"'], ['9:10 RL701']],
    ['an hour in a list', ['cron: ["0 2 * * *", "0 25 * * *"]'], ['9:26 RL701']],
    ['a cron that is a number', ['cron: 5'], ['9:9 RL204']],
    ['a date that never comes', ['cron: "0 0 30 2 *"'], ['9:9 RL704']],
    ['a time zone with a typo', [cron, 'timezone: Europe/Berln'], ['10:13 RL702']],
    ['no times at all', ['overlap: skip'], ['8:1 RL703']],
    ['cron and interval', [cron, 'every: 1h'], ['10:3 RL703']],
    ['an interval with a time zone', ['every: 1h', 'timezone: UTC'], ['10:3 RL703']],
    ['an interval below a second', ['every: 500ms'], ['9:10 RL705']],
    ['an interval of no time', ['every: 0s'], ['9:10 RL705']],
    ['an interval that is no duration', ['every: daily'], ['9:10 RL204']],
    ['an interval longer than anything may be', ['every: 40d'], ['9:10 RL205']],
    ['an offset as long as the interval', ['every: 1h', 'offset: 1h'], ['10:11 RL705']],
    ['an offset without an interval', [cron, 'offset: 5m'], ['10:3 RL705']],
    ['a catch-up window that Temporal does not keep', [cron, 'catchUp: 5s'], ['10:12 RL705']],
    ['a jitter of more than a day', [cron, 'jitter: 25h'], ['10:11 RL705']],
    ['an overlap policy that does not exist', [cron, 'overlap: skipp'], ['10:12 RL204']],
    ['a pause without a reason', [cron, 'paused: true'], ['10:11 RL203']],
    ['a parameter in it', ['cron: "${{ params.x }}"'], ['9:10 RL306']],
    [
      'a value for a parameter that is not declared',
      [cron, 'parameters: { x: 1 }'],
      ['10:17 RL310'],
    ],
    ['nothing in it', [], ['8:10 RL203']],
  ];
  it.each(rows)('%s', (_name, lines, places) => {
    expect(placesOf(withSchedule(...lines))).toEqual(places);
  });

  it('all at once, beside those of the rest of the file', () => {
    const text = withSchedule('cron: "61 2 * * *"', 'timezone: Europe/Berln', 'jitter: 2d').replace(
      'name: test',
      'name: "?"',
    );
    expect(placesOf(text)).toEqual(['1:7 RL204', '9:10 RL701', '10:13 RL702', '11:11 RL705']);
  });

  it('the field of a cron and the time zone that was meant are named', () => {
    const { problems } = compile(withSchedule('cron: "0 2 * 13 *"', 'timezone: Europe/Berln'));
    expect(problems.map(({ message, hint }) => [message, hint]).slice(-2)).toEqual([
      ['cron the month takes 1-12 or a name such as feb, not "13"', undefined],
      ['there is no time zone "Europe/Berln"', 'Did you mean "Europe/Berlin"?'],
    ]);
  });
});

describe('parameters of scheduled runs', () => {
  const declared = (schedule: string) =>
    [
      'name: test',
      'parameters:',
      '  folder: { type: path }',
      '  most: { type: integer, max: 9, default: 3 }',
      'connectors:',
      '  models: { type: local, path: "${{ params.folder }}" }',
      'records: models',
      'nodes:',
      '  - { id: take, type: connector_poll, config: { connector: models } }',
      'schedule:',
      '  every: 1h',
      schedule,
    ].join('\n');

  it('each needs a value, there or by default', () => {
    expect(placesOf(declared(''))).toEqual(['10:1 RL309']);
    expect(placesOf(declared('  parameters: { folder: in }'))).toEqual([]);
  });

  it('a value must fit', () => {
    expect(placesOf(declared('  parameters: { folder: in, most: 10 }'))).toEqual(['12:35 RL311']);
    expect(placesOf(declared('  parameters: { foldr: in }'))).toEqual([
      '12:3 RL309',
      '12:17 RL310',
    ]);
  });
});
