// Signals that combine a time limit with a cancellation.
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createTimeoutSignal } from '../../src/api/abort.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a time limit together with a cancellation', () => {
  test('the time limit survives a garbage collection', async () => {
    const signal = createTimeoutSignal(100, new AbortController().signal);
    // Only objects of earlier tasks are collected.
    await setImmediate();
    collectGarbage();
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('a time limit within another combination survives a garbage collection', async () => {
    const failure = new AbortController();
    const limited = () => createTimeoutSignal(100, new AbortController().signal);
    const signal = AbortSignal.any([limited(), failure.signal]);
    await setImmediate();
    collectGarbage();
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('the cancellation aborts with its own reason', () => {
    const cancellation = new AbortController();
    const signal = createTimeoutSignal(60_000, cancellation.signal);
    cancellation.abort(new Error('cancelled'));
    expect(signal.reason).toMatchObject({ message: 'cancelled' });
  });
});
