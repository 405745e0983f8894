// When `schedules trigger` starts a run, and what it prints.
import { describe, expect, it } from 'vitest';
import { computeMsUntilNewRunId } from '../../src/app/schedules/control.ts';
import { formatScheduleControl } from '../../src/cli/schedules/format.ts';

describe('a trigger waits for a second without another start', () => {
  const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  it.each([
    ['after a start of the same second', [-60_000, -300], 700],
    ['after a start one second ago', [-1_000], 0],
    ['without an earlier start', [], 0],
    ['if the clock is behind the server, at most one second', [5_000], 1_000],
  ])('a trigger waits for a free second %s', (_, agoMs, waits) => {
    const actions = agoMs.map((ms) => ({ takenAt: new Date(nowMs + ms) }));
    expect(computeMsUntilNewRunId(actions, nowMs)).toBe(waits);
  });
});

it.each([
  ['a skipped start', { skipped: true }, /^a started nothing, because one of its runs is still/],
  [
    'a run whose id is not known in time',
    {},
    /^a was triggered, but Temporal does not report its run/,
  ],
  ['a started run', { run: 'a-1' }, /^a-1\n/],
])('a trigger prints what it started: %s', (_, result, text) => {
  const base = {
    schedule: 'a',
    action: 'trigger',
    paused: null,
    run: null,
    skipped: false,
  } as const;
  const schema = 'renderline/schedule-control/v1';
  expect(formatScheduleControl({ schema, ...base, ...result })).toMatch(text);
});
