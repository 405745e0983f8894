// Faults of tests are converted to rules that the sandbox accepts and that have the declared effect.
import { describe, expect, test } from 'vitest';
import { FaultRules, Faults } from '../../../packages/sandbox/src/faults/faults.ts';
import { faultRules } from '../../../src/app/testing/fault-rules.ts';
import type { Fault } from '../../../src/compile/test-file/test-file.ts';

function faultsOf(...faults: Fault[]): Faults {
  return new Faults(1, FaultRules.parse(faultRules(faults)));
}

test('work takes the same time unless a test says otherwise', () => {
  const faults = faultsOf();
  expect(faults.faultFor('model', 'living/lamp')).toEqual({ durationMs: 3_000 });
  expect(faults.faultFor('render', 'lamp')).toEqual({ durationMs: 5_000 });
});

describe('a model is meant by its path, however the platform calls it', () => {
  test.each(['living/lamp', 'living_lamp', 'living_lamp.glb', 'living/lamp.glb'])('%s', (name) => {
    const faults = faultsOf({ model: 'living/lamp', takes: '40m' });
    expect(faults.faultFor('model', name)).toMatchObject({ durationMs: 2_400_000 });
    expect(faults.faultFor('model', 'other')).toEqual({ durationMs: 3_000 });
  });

  test('and by globs', () => {
    const faults = faultsOf({ render: '{living,kitchen}/*', fails: 'hot' });
    expect(faults.faultFor('render', 'kitchen_bowl')).toEqual({
      failure: 'hot',
      durationMs: 5_000,
    });
  });
});

test.each<[string, Fault, object]>([
  [
    'refused',
    { request: 'createRenders', answers: 503, code: 'BUSY' },
    { status: 503, code: 'BUSY' },
  ],
  ['done, and refused', { request: '*', answers: 502, done: true }, { commitThenStatus: 502 }],
  ['429', { request: '*', rateLimited: true }, { rateLimited: true }],
  ['lost before', { request: '*', lost: 'request' }, { reset: 'before' }],
  ['lost after', { request: '*', lost: 'answer' }, { reset: 'after' }],
  ['a list that lags', { request: '*', omits: 2 }, { leaveOut: 2 }],
  ['slow', { request: '*', takes: '2s' }, { delayMs: 2_000 }],
])('a request: %s', (_what, fault, expected) => {
  expect(faultsOf(fault).requestFault('createRenders', 'POST', '/renders')).toEqual(expected);
});

test.each<[string, Fault, object]>([
  ['lost', { notification: '*', lost: true }, { drop: true }],
  [
    'late and repeated',
    { notification: '*', late: '5s', repeated: 2 },
    { delayMs: 5_000, repeat: 2 },
  ],
])('a notification: %s', (_what, fault, expected) => {
  expect(faultsOf(fault).faultFor('event', 'render.complete')).toEqual(expected);
});

test('which of them', () => {
  const faults = faultsOf({ request: 'listRenders', answers: 500, nth: 2 });
  const statuses = [1, 2, 3].map(() => faults.requestFault('listRenders', 'GET', '/renders'));
  expect(statuses).toEqual([undefined, { status: 500 }, undefined]);
});

test('a killed worker is no matter of the platform', () => {
  expect(faultRules([{ worker: 'killed', after: 'createRenders' }])).toEqual(faultRules([]));
});
