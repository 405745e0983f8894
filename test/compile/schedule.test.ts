// `schedule:` in a pipeline file: its result, and every mistake at its position.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, withNodes } from './_compile.ts';

/** The schedule begins on line 8. */
const withSchedule = (...lines: string[]) =>
  [withNodes(), 'schedule:', ...lines.map((line) => `  ${line}`)].join('\n');

describe('a schedule', () => {
  it('all fields of a schedule except its times have defaults', () => {
    expect(compile(withSchedule('cron: "0 2 * * *"'))).toMatchObject({
      ok: true,
      isScheduled: true,
      schedules: [
        {
          name: null,
          cron: ['0 2 * * *'],
          interval: null,
          timezone: 'UTC',
          overlap: 'skip',
          catchUpMs: 3_600_000,
          jitterMs: 60_000,
          paused: null,
          parameters: {},
        },
      ],
    });
  });

  it('a schedule may be an interval, paused with a reason', () => {
    const text = withSchedule(
      'every: 2h',
      'offset: 15m',
      'overlap: buffer_one',
      'catchUp: 2d',
      'jitter: 0s',
      'paused: until the move is over',
    );
    expect(compile(text).schedules[0]).toMatchObject({
      cron: [],
      interval: { everyMs: 7_200_000, offsetMs: 900_000 },
      overlap: 'buffer_one',
      catchUpMs: 172_800_000,
      jitterMs: 0,
      paused: 'until the move is over',
    });
  });

  it('a schedule is not in the plan, so other times do not change its hash', () => {
    const plans = ['"0 2 * * *"', '"0 3 * * *"'].map(
      (cron) => compile(withSchedule(`cron: ${cron}`), {}).plan,
    );
    expect(plans[0]?.hash).toBe(plans[1]?.hash);
    expect(plans[0]).toEqual(compile(withNodes(), {}).plan);
  });

  it('a file without a schedule has none, and one that cannot be read may have one', () => {
    expect(compile(withNodes())).toMatchObject({ schedules: [], isScheduled: false });
    expect(compile('a: [')).toMatchObject({ schedules: [], isScheduled: true });
  });
});

describe('the position of a mistake in a schedule', () => {
  const cron = 'cron: "0 2 * * *"';
  const rows: [name: string, lines: string[], places: string[]][] = [
    ['an unknown field', [cron, 'timezon: UTC'], ['10:3 RL201']],
    ['an invalid minute', ['cron: "61 2 * * *"'], ['9:10 RL701']],
    ['an hour in a list', ['cron: ["0 2 * * *", "0 25 * * *"]'], ['9:26 RL701']],
    ['a cron that is a number', ['cron: 5'], ['9:9 RL204']],
    ['a date that never comes', ['cron: "0 0 30 2 *"'], ['9:9 RL704']],
    ['a time zone with a typo', [cron, 'timezone: Europe/Berln'], ['10:13 RL702']],
    ['no times at all', ['overlap: skip'], ['8:1 RL703']],
    ['cron and interval', [cron, 'every: 1h'], ['10:3 RL703']],
    ['an interval with a time zone', ['every: 1h', 'timezone: UTC'], ['10:3 RL703']],
    ['an interval below a second', ['every: 500ms'], ['9:10 RL705']],
    ['an interval of no time', ['every: 0s'], ['9:10 RL705']],
    ['an interval that is not a duration', ['every: daily'], ['9:10 RL204']],
    ['an interval that is too long', ['every: 40d'], ['9:10 RL205']],
    ['an offset as long as the interval', ['every: 1h', 'offset: 1h'], ['10:11 RL705']],
    ['an offset without an interval', [cron, 'offset: 5m'], ['10:3 RL705']],
    ['a catch-up window that Temporal does not support', [cron, 'catchUp: 5s'], ['10:12 RL705']],
    ['a jitter of more than a day', [cron, 'jitter: 25h'], ['10:11 RL705']],
    ['an overlap policy that does not exist', [cron, 'overlap: skipp'], ['10:12 RL204']],
    ['a pause without a reason', [cron, 'paused: true'], ['10:11 RL203']],
    ['a parameter in it', ['cron: "${{ params.x }}"'], ['9:10 RL306']],
    [
      'a value for a parameter that is not declared',
      [cron, 'parameters: { x: 1 }'],
      ['10:17 RL310'],
    ],
    ['an empty schedule', [], ['8:10 RL203']],
  ];
  it.each(rows)('a mistake is reported at its position: %s', (_name, lines, places) => {
    expect(placesOf(withSchedule(...lines))).toEqual(places);
  });

  it('a mistake is reported together with the mistakes in the rest of the file', () => {
    const text = withSchedule('cron: "61 2 * * *"', 'timezone: Europe/Berln', 'jitter: 2d').replace(
      'name: test',
      'name: "?"',
    );
    expect(placesOf(text)).toEqual(['1:7 RL204', '9:10 RL701', '10:13 RL702', '11:11 RL705']);
  });

  it.each([
    ['0 0 1,15 * mon', true],
    ['0 0 1-31 * 5', true],
    ['30 0 0 13 * fri 2027', true],
    ['0 0 1 * *', false],
    ['0 0 * * mon', false],
    ['0 0 */2 * mon', false],
    ['@monthly', false],
  ])(
    'the cron "%s" causes a warning about days of both the month and the week: %s',
    (cron, isWarned) => {
      const { problems, plan } = compile(withSchedule(`cron: "${cron}"`), {});
      expect(plan).not.toBeNull();
      const found = problems.filter(({ code }) => code === 'RL707');
      expect(found.map(({ severity }) => severity)).toEqual(isWarned ? ['warning'] : []);
    },
  );

  it('the message contains the field of a cron expression, and the hint contains the time zone that was probably meant', () => {
    const { problems } = compile(withSchedule('cron: "0 2 * 13 *"', 'timezone: Europe/Berln'));
    expect(problems.map(({ message, hint }) => [message, hint]).slice(-2)).toEqual([
      ['cron the month must be 1-12 or a name such as feb, not "13"', undefined],
      ['the time zone "Europe/Berln" does not exist', 'Did you mean "Europe/Berlin"?'],
    ]);
  });
});

/** A file with one parameter without a default and one with a default. Its schedule begins on line 11. */
function withParameters(...schedule: string[]): string {
  return [
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
    ...schedule,
  ].join('\n');
}

describe('parameters of scheduled runs', () => {
  const declared = (schedule: string) => withParameters('  every: 1h', schedule);

  it('parameters of scheduled runs each need a value or a default', () => {
    expect(placesOf(declared(''))).toEqual(['10:1 RL309']);
    expect(placesOf(declared('  parameters: { folder: in }'))).toEqual([]);
  });

  it('parameters of scheduled runs must have valid values', () => {
    expect(placesOf(declared('  parameters: { folder: in, most: 10 }'))).toEqual(['12:35 RL311']);
    expect(placesOf(declared('  parameters: { foldr: in }'))).toEqual([
      '12:3 RL309',
      '12:17 RL310',
    ]);
  });
});

describe('several schedules', () => {
  const text = (...entries: string[]) => withParameters(...entries.map((entry) => `  - ${entry}`));
  const acme = '{ name: acme, cron: "0 2 * * *", parameters: { folder: a } }';
  const zorn = '{ name: zorn, every: 6h, parameters: { folder: z, most: 5 } }';

  it('several schedules have names, times and parameters of their own', () => {
    expect(compile(text(acme, zorn))).toMatchObject({
      ok: true,
      isScheduled: true,
      schedules: [
        { name: 'acme', cron: ['0 2 * * *'], parameters: { folder: 'a' }, overlap: 'skip' },
        { name: 'zorn', interval: { everyMs: 21_600_000 }, parameters: { folder: 'z', most: 5 } },
      ],
    });
  });

  const rows: [name: string, entries: string[], places: string[]][] = [
    ['no schedules', [], ['10:10 RL203']],
    ['no name', ['{ every: 1h, parameters: { folder: a } }'], ['11:5 RL202']],
    ['a name with a slash', [acme.replace('acme', 'a/b')], ['11:13 RL204']],
    ['a name that is a number', [acme.replace('acme', '7')], ['11:13 RL203']],
    ['the same name twice', [acme, zorn, zorn.replace('zorn', 'acme')], ['13:13 RL706']],
    ['no times', [acme, '{ name: b, parameters: { folder: a } }'], ['12:5 RL703']],
    ['an invalid cron', [acme, acme.replace('acme', 'b').replace('0 2', '61 2')], ['12:23 RL701']],
    ['a parameter without a value', [acme, '{ name: b, every: 1h }'], ['12:5 RL309']],
    ['a parameter that is not declared', [zorn.replace('most', 'least')], ['11:55 RL310']],
    ['a parameter out of its range', [acme, zorn.replace('5 }', '50 }')], ['12:61 RL311']],
    ['a parameter of another type', [zorn.replace('5 }', 'five }')], ['11:61 RL311']],
    ['an unknown field', [acme.replace('cron', 'corn: 1, cron')], ['11:19 RL201']],
    ['an entry that is not a mapping', ['nightly'], ['11:5 RL203']],
  ];
  it.each(rows)(
    'a mistake in several schedules is reported at its position: %s',
    (_name, entries, places) => {
      expect(placesOf(text(...entries))).toEqual(places);
      expect(compile(text(...entries)).schedules).toEqual([]);
    },
  );

  it('the message about a mistake contains the index of the schedule', () => {
    const { problems } = compile(
      text(acme, '{ name: b, every: 500ms, parameters: { folder: a } }'),
    );
    expect(problems.map(({ message }) => message)).toContain(
      'schedule[1].every must be whole seconds',
    );
  });
});
