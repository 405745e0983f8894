// `gate`: assets wait for hours of the day, or for a date.
import { describe, expect, it } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';
import {
  formatGate,
  type Gate,
  isWithinHours,
  waitAtGate,
  weekdays,
} from '../../src/features/gates/gate.ts';
import type { StepAsset } from '../../src/plan/types.ts';

const night = { from: '20:00', to: '06:00', days: weekdays, timezone: 'Europe/Berlin' };
const office = { from: '08:30', to: '17:00', days: weekdays, timezone: 'UTC' };
const weekend = { ...night, days: ['fri', 'sat'] as const };

describe('opening hours of a gate', () => {
  // 2026-11-20 is a Friday. Berlin is an hour ahead of UTC in winter and two hours in summer.
  it.each<[at: string, hours: typeof night | typeof weekend, open: boolean]>([
    ['2026-11-20T08:29:59Z', office, false],
    ['2026-11-20T08:30:00Z', office, true],
    ['2026-11-20T16:59:59Z', office, true],
    ['2026-11-20T17:00:00Z', office, false],
    ['2026-11-20T18:59:59Z', night, false],
    ['2026-11-20T19:00:00Z', night, true],
    ['2026-11-20T23:30:00Z', night, true],
    ['2026-11-21T04:59:59Z', night, true],
    ['2026-11-21T05:00:00Z', night, false],
    ['2026-07-17T17:59:59Z', night, false],
    ['2026-07-17T18:00:00Z', night, true],
    // Hours after midnight belong to the day on which they begin.
    ['2026-11-20T18:30:00Z', weekend, false],
    ['2026-11-20T19:30:00Z', weekend, true],
    ['2026-11-22T03:00:00Z', weekend, true],
    ['2026-11-22T19:30:00Z', weekend, false],
    ['2026-11-20T03:00:00Z', weekend, false],
    // The clock goes back at 03:00 in Berlin, and forward at 02:00.
    ['2026-10-25T00:30:00Z', { ...night, from: '02:15', to: '02:45' }, true],
    ['2026-10-25T01:30:00Z', { ...night, from: '02:15', to: '02:45' }, true],
    ['2026-03-29T01:00:00Z', { ...night, from: '02:15', to: '02:45' }, false],
    // An offset of 45 minutes.
    [
      '2026-11-20T02:15:00Z',
      { ...office, from: '08:00', to: '09:00', timezone: 'Asia/Kathmandu' },
      true,
    ],
    [
      '2026-11-20T02:14:59Z',
      { ...office, from: '08:00', to: '09:00', timezone: 'Asia/Kathmandu' },
      false,
    ],
  ])('at %s, the gate with the hours %j is open: %j', (at, hours, open) => {
    expect(isWithinHours(hours, Date.parse(at))).toBe(open);
  });
});

const embargoMs = Date.parse('2026-12-01T07:00:00Z');
const enteredAtMs = Date.parse('2026-11-20T12:00:00Z');
const waiting = (key: string, waitsMs: number): StepAsset => ({
  key,
  source: { path: key, bytes: 1, mtimeMs: 1, version: '1-1' },
  platformIds: {},
  enteredAtMs,
  deadlineMs: enteredAtMs + waitsMs,
});
const dayMs = 24 * 3_600_000;

describe('an asset at a gate', () => {
  const both: Gate = { notBeforeMs: embargoMs, hours: night };
  it.each<[what: string, gate: Gate, at: string, outcomes: string[]]>([
    ['passes while the gate is open', { hours: night }, '2026-11-20T19:00:00Z', ['done', 'done']],
    ['waits while the gate is closed', { hours: night }, '2026-11-20T18:59:59Z', []],
    [
      'waits until `notBefore`, or fails after its timeout',
      { notBeforeMs: embargoMs },
      '2026-11-30T23:59:59Z',
      ['failed'],
    ],
    [
      'passes from `notBefore` on',
      { notBeforeMs: embargoMs },
      '2026-12-01T07:00:00Z',
      ['done', 'done'],
    ],
    [
      'waits for the hours although `notBefore` has passed',
      both,
      '2026-12-01T08:00:00Z',
      ['failed'],
    ],
    [
      'waits for `notBefore` although the time is within the hours',
      both,
      '2026-11-20T22:00:00Z',
      [],
    ],
    ['passes if both conditions are met', both, '2026-12-01T19:00:00Z', ['done', 'done']],
    [
      'passes an open gate even after its timeout',
      { hours: night },
      '2026-11-23T19:00:00Z',
      ['done', 'done'],
    ],
  ])('an asset %s', (_what, gate, at, outcomes) => {
    const assets = [waiting('short', 2 * dayMs), waiting('long', 30 * dayMs)];
    const results = waitAtGate(gate, assets, { runNow: () => Date.parse(at) });
    expect(results.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('only the asset whose timeout has passed fails, and the message describes the gate', () => {
    const assets = [waiting('short', 2 * dayMs), waiting('long', 30 * dayMs)];
    const gate: Gate = { hours: { ...night, days: ['sat'] }, notBeforeMs: embargoMs };
    const results = waitAtGate(gate, assets, { runNow: () => enteredAtMs + 2 * dayMs });
    const message =
      'the gate (not before 2026-12-01T07:00:00.000Z, 20:00 to 06:00 Europe/Berlin (sat)) did not open within 2d';
    expect(results).toEqual([{ key: 'short', outcome: 'failed', code: 'GATE_TIMEOUT', message }]);
  });

  it.each<[Gate, string]>([
    [{ hours: night }, '20:00 to 06:00 Europe/Berlin'],
    [{ notBeforeMs: embargoMs }, 'not before 2026-12-01T07:00:00.000Z'],
  ])('the gate %j is shown as "%s"', (gate, text) => {
    expect(formatGate(gate)).toBe(text);
  });
});

describe('a pipeline file with a gate', () => {
  const compiled = (config: string, parentIds = 'parentIds: [take], ') =>
    compileText(
      `name: held
parameters: { folder: { type: path, required: true } }
connectors: { models: { type: local, path: "\${{ params.folder }}" } }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: night, type: gate, ${parentIds}config: ${config} }
  - { id: ready, type: model_ready, parentIds: [night] }
`,
      'held.yaml',
      { cwd: '/', environment: {}, fileFolder: '/', parameters: null },
    ).problems.map(({ message }) => message);

  it('a pipeline cannot start with a gate', () => {
    expect(compiled('{ from: "20:00", to: "06:00" }', '')).toContain(
      '"night" has no parents, but gate cannot start a pipeline',
    );
  });

  it.each<[config: string, problem: string | null]>([
    ['{ from: "20:00", to: "06:00" }', null],
    ['{ from: "20:00", to: "06:00", days: [mon], timezone: Asia/Tokyo }', null],
    ['{ notBefore: "2026-12-01T08:00:00+01:00" }', null],
    ['{}', 'needs hours (`from` and `to`), `notBefore`, or both'],
    ['{ from: "20:00" }', '`from` and `to` must be used together'],
    ['{ from: "20:00", to: "20:00" }', 'would never open'],
    ['{ from: "24:00", to: "06:00" }', 'must be a time of day'],
    ['{ from: "20:00", to: "06:00", timezone: Berlin }', 'must be an IANA name'],
    ['{ from: "20:00", to: "06:00", days: [] }', ''],
    ['{ from: "20:00", to: "06:00", days: [monday] }', 'mon'],
    ['{ notBefore: "2026-12-41T08:00:00Z" }', 'must be a time such as'],
    ['{ notBefore: "2026-11-31T08:00:00Z" }', 'must be a time such as'],
    ['{ notBefore: "2026-12-01" }', 'must be a time such as'],
    ['{ notBefore: "2026-12-01T08:00:00" }', 'must be a time such as'],
  ])('the gate %s has the problem %s', (config, problem) => {
    const problems = compiled(config);
    if (problem === null) expect(problems).toEqual([]);
    else expect(problems.join('\n')).toContain(problem);
    expect(problems.length > 0).toBe(problem !== null);
  });
});
