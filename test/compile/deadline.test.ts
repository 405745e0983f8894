// The deadline of a file, and the receivers of notices about late runs.
import { describe, expect, test } from 'vitest';
import { planOf, told, withNodes } from './_compile.ts';

const text = (line: string) => withNodes().replace('nodes:', `${line}\nnodes:`);

describe('a deadline', () => {
  test.each([
    ['deadline: { within: 4h }', { withinMs: 4 * 3_600_000 }],
    ['deadline: { at: "06:30", timezone: Europe/Berlin }', { at: 390, timezone: 'Europe/Berlin' }],
    ['deadline: { at: 06:30 }', { at: 390, timezone: 'UTC' }],
  ])('the deadline "%s" is read', (line, deadline) => {
    expect(planOf(text(line)).deadline).toEqual(deadline);
  });

  test('a deadline does not change the recipe or a stage', () => {
    const plan = planOf(text('deadline: { within: 4h }'));
    const other = planOf(withNodes());
    expect([plan.recipe, plan.stages]).toEqual([other.recipe, other.stages]);
  });

  test.each([
    ['deadline: {}', 'RL204'],
    ['deadline: { at: "06:00", within: 4h }', 'RL204'],
    ['deadline: { within: 4h, timezone: UTC }', 'RL204'],
    ['deadline: { at: "6:00" }', 'RL204'],
    ['deadline: { at: "24:00" }', 'RL204'],
    ['deadline: { within: 30s }', 'RL204'],
    ['deadline: { at: "06:00", timezone: Europe/Belrin }', 'RL702'],
    ['notify: [{ format: slack, urlFrom: RENDERLINE_SECRET_S, on: [late] }]', 'RL422'],
  ])('the field "%s" is refused or reported as a warning', (line, code) => {
    expect(told(text(line)).map((one) => one.split(' ')[1])).toEqual([code]);
  });

  test('receivers of all outcomes do not need a deadline', () => {
    expect(told(text('notify: [{ format: slack, urlFrom: RENDERLINE_SECRET_S }]'))).toEqual([]);
  });
});
