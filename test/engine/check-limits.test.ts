import { describe, expect, test } from 'vitest';
import { findExcess, formatExcess } from '../../src/engine/cost/limit-excess.ts';
import type { Estimate } from '../../src/engine/cost/step-cost.ts';
import { parseSizeBytes } from '../../src/language/byte-size.ts';
import type { RunLimits } from '../../src/plan/run/run-limits.ts';

const cost: Estimate = {
  requests: {
    total: 40,
    max: 40,
    byOperation: { createJob: 1, createProjects: 1, createRenders: 1 },
  },
  windows: null,
  renders: 20,
  max: false,
  files: { total: 10, min: false },
  creates: { model: 10, project: 10 },
  countsByStep: {},
  deletes: 0,
  seconds: 1,
};
const work = { assets: 10, models: 10, bytes: 5_000 };

describe('`limits` of a pipeline', () => {
  test.each<[RunLimits, string[]]>([
    [{}, []],
    [{ renders: 20, models: 10, projects: 10, requests: 40, storage: '5kB' }, []],
    [{ renders: 19 }, ['renders']],
    [{ models: 9, requests: 39 }, ['models', 'requests']],
    [{ projects: 1, storage: '4999B' }, ['projects', 'storage']],
  ])('a plan with the limits %j exceeds %j', (limits, expected) => {
    expect(findExcess(limits, cost, work).map(({ limit }) => limit)).toEqual(expected);
  });

  test('a plan without projects does not exceed a limit on projects', () => {
    const none = { ...cost, creates: {} };
    expect(findExcess({ projects: 1 }, none, work)).toEqual([]);
  });

  test('a plan that imports into the library does not exceed a limit on models', () => {
    const library = { ...cost, creates: { material: 10 } };
    expect(findExcess({ models: 1 }, library, work)).toEqual([]);
  });

  test('the message states what each limit allows and what the plan needs', () => {
    expect(formatExcess(findExcess({ models: 9, storage: '1kB' }, cost, work))).toBe(
      'limits.models allows 9, but the plan needs 10\nlimits.storage allows 1000 bytes, but the plan needs 5000 bytes',
    );
  });

  test.each([
    ['500B', 500],
    ['1.5 kB', 1_500],
    ['20GB', 20e9],
    ['1KiB', 1_024],
    ['2GiB', 2 * 2 ** 30],
  ])('%s is %d bytes', (size, bytes) => {
    expect(parseSizeBytes(size)).toBe(bytes);
  });
});
