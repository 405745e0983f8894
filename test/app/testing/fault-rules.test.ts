// Faults of tests become rules that the sandbox accepts and that have the declared effect.
import { describe, expect, test } from 'vitest';
import { FaultRules, Faults } from '../../../packages/sandbox/src/faults/faults.ts';
import { toFaultRules } from '../../../src/app/testing/to-fault-rules.ts';
import type { Fault } from '../../../src/compile/test-file/test-file.ts';

function faultsOf(...faults: Fault[]): Faults {
  return new Faults(1, FaultRules.parse(toFaultRules(faults)));
}

test('work takes the same time unless a test specifies otherwise', () => {
  const faults = faultsOf();
  expect(faults.faultFor('model', 'living/lamp')).toEqual({ durationMs: 3_000 });
  expect(faults.faultFor('render', 'lamp')).toEqual({ durationMs: 5_000 });
});

describe('a fault that matches a model', () => {
  test.each(['living/lamp', 'living_lamp', 'living_lamp.glb', 'living/lamp.glb'])(
    'a fault matches a model by its path if the name on the platform is %s',
    (name) => {
      const faults = faultsOf({ model: 'living/lamp', takes: '40m' });
      expect(faults.faultFor('model', name)).toMatchObject({ durationMs: 2_400_000 });
      expect(faults.faultFor('model', 'other')).toEqual({ durationMs: 3_000 });
    },
  );

  test('a fault also matches a model by a glob', () => {
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
  ['done, and then refused', { request: '*', answers: 502, done: true }, { commitThenStatus: 502 }],
  ['rate limited', { request: '*', rateLimited: true }, { rateLimited: true }],
  ['lost on its way to the platform', { request: '*', lost: 'request' }, { reset: 'before' }],
  ['answered, but the response is lost', { request: '*', lost: 'answer' }, { reset: 'after' }],
  ['answered with a list that is out of date', { request: '*', omits: 2 }, { leaveOut: 2 }],
  ['slow', { request: '*', takes: '2s' }, { delayMs: 2_000 }],
])('a request is %s', (_what, fault, expected) => {
  expect(faultsOf(fault).requestFault('createRenders', 'POST', '/renders')).toEqual(expected);
});

test.each<[string, Fault, object]>([
  ['lost', { notification: '*', lost: true }, { drop: true }],
  [
    'late and repeated',
    { notification: '*', late: '5s', repeated: 2 },
    { delayMs: 5_000, repeat: 2 },
  ],
])('a notification is %s', (_what, fault, expected) => {
  expect(faultsOf(fault).faultFor('event', 'render.complete')).toEqual(expected);
});

test('a fault may apply to the nth request only', () => {
  const faults = faultsOf({ request: 'listRenders', answers: 500, nth: 2 });
  const statuses = [1, 2, 3].map(() => faults.requestFault('listRenders', 'GET', '/renders'));
  expect(statuses).toEqual([undefined, { status: 500 }, undefined]);
});

test('a killed worker adds no rule for the sandbox', () => {
  expect(toFaultRules([{ worker: 'killed', after: 'createRenders' }])).toEqual(toFaultRules([]));
});
