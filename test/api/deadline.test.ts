import { describe, expect, it } from 'vitest';
import { callOnAbort } from '../../src/api/abort.ts';
import { startDeadline } from '../../src/api/deadline.ts';

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}

describe('a deadline', () => {
  it('a deadline aborts when the time is up, and then counts as expired', async () => {
    const deadline = startDeadline(5);
    await aborted(deadline.signal);
    expect(deadline.hasExpired()).toBe(true);
    deadline.clear();
  });

  it('a deadline aborts when the caller aborts, with the same reason, and does not count as expired', () => {
    const caller = new AbortController();
    const deadline = startDeadline(60_000, caller.signal);
    const reason = new Error('cancelled');
    caller.abort(reason);
    expect(deadline.signal.reason).toBe(reason);
    expect(deadline.hasExpired()).toBe(false);
    deadline.clear();
  });

  it('a deadline is aborted from the start if the caller has aborted', () => {
    const reason = new Error('cancelled');
    const deadline = startDeadline(60_000, AbortSignal.abort(reason));
    expect(deadline.signal.reason).toBe(reason);
    deadline.clear();
  });

  it('a deadline does not abort after it was cleared', () => {
    const caller = new AbortController();
    const deadline = startDeadline(60_000, caller.signal);
    deadline.clear();
    caller.abort();
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe('a signal for many requests', () => {
  it('one signal for many requests causes no leak warning from Node', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const caller = new AbortController();
    let calls = 0;
    for (let index = 0; index < 50; index += 1) callOnAbort(caller.signal, () => (calls += 1));
    caller.abort();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(calls).toBe(50);
    expect(warnings).toEqual([]);
  });

  it('the signal does not call a listener that was removed', () => {
    const caller = new AbortController();
    let calls = 0;
    callOnAbort(caller.signal, () => (calls += 1))();
    caller.abort();
    expect(calls).toBe(0);
  });
});
