// Expectations compared with the result of a run.
import { describe, expect, test } from 'vitest';
import {
  checkExpectations,
  isWithinBounds,
  type TestedRun,
} from '../../../src/app/testing/check-expectations.ts';
import type { Expect } from '../../../src/compile/test-file/test-file.ts';

const facts: TestedRun = {
  outcome: 'partial_failure',
  cause: null,
  runs: 1,
  assets: { total: 3, complete: 2, failed: 1, skipped: 0, unchanged: 0, cancelled: 0 },
  files: ['a.png', 'b.png'],
  failures: [{ key: 'c', code: 'MODEL_TIMEOUT', node: 'ready', message: 'not within 30 min' }],
  warnings: ['a: no textures'],
  requests: { createRenders: 1, listRenders: 4 },
  notices: [
    {
      url: 'https://a.example',
      type: 'run.ended',
      outcome: 'partial_failure',
      keys: [],
      text: '{"text":"shoes: some assets failed"}',
    },
  ],
  ms: 90_000,
};

test.each<[string, Expect]>([
  ['nothing', {}],
  ['the outcome', { outcome: 'partial_failure' }],
  ['counts and bounds', { assets: { total: 3, complete: '>= 2', failed: '1..2', skipped: '< 1' } }],
  ['files in any order', { files: ['b.png', 'a.png'], fileCount: 2 }],
  ['a failure by its key alone', { failures: [{ key: 'c' }] }],
  [
    'all fields of a failure',
    { failures: [{ key: 'c', code: 'MODEL_TIMEOUT', node: 'ready', says: '30 min' }] },
  ],
  ['failures by code', { failureCodes: { MODEL_TIMEOUT: 1, RENDER_FAILED: 0 } }],
  ['part of a warning', { warnings: ['no textures'] }],
  ['requests', { requests: { createRenders: 1, total: '<= 5', getRenderJob: 0 } }],
  ['a notice', { notices: [{ type: 'run.ended', url: 'https://a.example' }] }],
  ['part of a message', { notices: [{ says: 'shoes: some assets failed' }] }],
  ['time', { takes: '< 2m', runs: 1 }],
])('an expectation of %s is met', (_what, expected) => {
  expect(checkExpectations(expected, facts)).toEqual([]);
});

test.each<[string, Expect, string, string, string]>([
  ['the outcome', { outcome: 'complete' }, 'outcome', 'complete', 'partial_failure'],
  ['the cause', { cause: 'AUTH' }, 'cause', 'AUTH', 'none'],
  ['a count', { assets: { complete: 3 } }, 'assets.complete', '3', '2'],
  ['a missing file', { files: ['a.png', 'b.png', 'c.png'] }, 'files.2', 'c.png', 'missing'],
  ['another name', { files: ['a.png', 'x.png'] }, 'files.1', 'x.png', 'missing; unexpected: b.png'],
  ['an extra file', { files: ['a.png'] }, 'files', 'only 1', 'also b.png'],
  [
    'an extra failure',
    { failures: [] },
    'failures',
    'no other failures',
    'c MODEL_TIMEOUT at ready: not within 30 min',
  ],
  [
    'another code',
    { failures: [{ key: 'c', code: 'TRUNCATED' }] },
    'failures.0',
    'c TRUNCATED',
    'c MODEL_TIMEOUT at ready: not within 30 min',
  ],
  [
    'a missing failure',
    { failures: [{ key: 'c' }, { key: 'a' }] },
    'failures.1',
    'a',
    'it did not fail',
  ],
  ['an unexpected code', { failureCodes: {} }, 'failureCodes', 'no MODEL_TIMEOUT', '1 of them'],
  ['a warning', { warnings: ['slow'] }, 'warnings.0', 'slow', 'a: no textures'],
  ['requests', { requests: { total: '<= 4' } }, 'requests.total', '<= 4', '5'],
  [
    'a notice',
    { notices: [{ type: 'run.waiting' }] },
    'notices.0',
    'run.waiting',
    'run.ended partial_failure to https://a.example',
  ],
  [
    'another message',
    { notices: [{ url: 'https://a.example', says: 'waits' }] },
    'notices.0',
    'to https://a.example saying "waits"',
    'run.ended partial_failure to https://a.example',
  ],
  [
    'an extra notice',
    { notices: [] },
    'notices',
    'only 0',
    'also run.ended partial_failure to https://a.example',
  ],
  ['time', { takes: '< 1m' }, 'takes', '< 1m', '90s'],
])('the expectation of %s is not met', (_what, expectation, path, expected, got) => {
  const found = checkExpectations(expectation, facts);
  expect(found.map((one) => ({ ...one, path: one.path.join('.') }))).toEqual([
    { path, expected, got },
  ]);
});

describe('bounds of an expectation', () => {
  test.each([
    [3, 3, true],
    [3, 4, false],
    ['<= 3', 3, true],
    ['<3', 3, false],
    ['>= 3', 3, true],
    ['> 3', 3, false],
    ['2 .. 4', 4, true],
    ['2..4', 5, false],
  ])('the bounds %s include %i: %s', (bounds, got, holds) => {
    expect(isWithinBounds(bounds, got)).toBe(holds);
  });
});
