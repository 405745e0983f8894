// Notifications do nothing except wake the waits of a worker.
import { beforeEach, describe, expect, it } from 'vitest';
import { WakeUps } from '../../../src/engine/polling/wake-ups.ts';

const never = new AbortController().signal;
let nowMs: number;
let wakeUps: WakeUps;
beforeEach(() => {
  nowMs = 1_000_000;
  wakeUps = new WakeUps(() => nowMs);
  wakeUps.isListening = true;
});

describe('holding a wait for a notification', () => {
  it('a held wait is woken by a notification', async () => {
    const held = wakeUps.holdWait(60_000, never);
    wakeUps.receive(['model/a']);
    expect(await held).toBe(true);
  });

  it('a held wait without a notification is woken after its interval', async () => {
    expect(await wakeUps.holdWait(1, never)).toBe(true);
  });

  it('a wait is not held if there is no receiver', async () => {
    wakeUps.isListening = false;
    expect(await wakeUps.holdWait(60_000, never)).toBe(false);
  });

  it('held waits are released when the worker stops, and no further wait is held', async () => {
    const held = wakeUps.holdWait(60_000, never);
    wakeUps.close();
    expect(await held).toBe(false);
    expect(await wakeUps.holdWait(60_000, never)).toBe(false);
  });

  it('a held wait ends with its attempt', async () => {
    const attempt = new AbortController();
    const held = wakeUps.holdWait(60_000, attempt.signal);
    attempt.abort();
    await held;
    expect(await wakeUps.holdWait(60_000, attempt.signal)).toBe(false);
  });

  it('a wait is not held if fifty others are held', async () => {
    const held = Array.from({ length: 50 }, () => wakeUps.holdWait(60_000, never));
    expect(await wakeUps.holdWait(60_000, never)).toBe(false);
    wakeUps.close();
    await Promise.all(held);
  });
});

describe('the reliability of notifications', () => {
  const relied = () => [wakeUps.isReliable('model'), wakeUps.isReliable('render')];

  it('notifications are reliable as long as a receiver is listening', () => {
    expect(relied()).toEqual([true, true]);
    wakeUps.isListening = false;
    expect(relied()).toEqual([false, false]);
  });

  it('notifications of a kind become unreliable two seconds after an item finishes without one', () => {
    wakeUps.recordFinished('render/a');
    nowMs += 1_999;
    expect(relied()).toEqual([true, true]);
    nowMs += 1;
    expect(relied()).toEqual([true, false]);
  });

  it('notifications stay reliable if one arrives shortly after the poll', () => {
    wakeUps.recordFinished('model/a');
    nowMs += 1_999;
    wakeUps.receive(['model/a']);
    nowMs += 10_000;
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('notifications stay reliable if one arrived long before the poll', () => {
    wakeUps.receive(['render/a']);
    wakeUps.consume('render/a');
    nowMs += 10_000;
    wakeUps.recordFinished('render/a');
    nowMs += 10_000;
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('notifications become reliable again after a useful one, but not after a useless one', () => {
    wakeUps.recordFinished('model/a');
    nowMs += 2_000;
    expect(relied()).toEqual([false, true]);
    wakeUps.receive(['model/of-others', 'model/b']);
    expect(relied()).toEqual([false, true]);
    wakeUps.consume('model/b');
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('items that finish while there is no receiver do not make notifications unreliable', () => {
    wakeUps.isListening = false;
    wakeUps.recordFinished('model/a');
    nowMs += 10_000;
    wakeUps.isListening = true;
    expect(relied()).toEqual([true, true]);
  });
});

describe('a pending wake-up', () => {
  it('a wake-up stays pending until a poll of its item starts', () => {
    wakeUps.receive(['model/a']);
    expect([wakeUps.has('model/a'), wakeUps.has('model/b')]).toEqual([true, false]);
    wakeUps.consume('model/a');
    expect(wakeUps.has('model/a')).toBe(false);
    wakeUps.close();
  });

  it('a wake-up is pending again after another notification', () => {
    wakeUps.receive(['model/a']);
    wakeUps.consume('model/a');
    wakeUps.receive(['model/a']);
    expect(wakeUps.has('model/a')).toBe(true);
    wakeUps.close();
  });

  it('wake-ups are forgotten after two minutes, or if there are more than twenty thousand', () => {
    wakeUps.receive(['model/old']);
    nowMs += 120_000;
    wakeUps.receive(['model/new']);
    expect([wakeUps.has('model/old'), wakeUps.has('model/new')]).toEqual([false, true]);
    wakeUps.receive(Array.from({ length: 20_000 }, (_, index) => `model/${index}`));
    expect([wakeUps.has('model/new'), wakeUps.has('model/0')]).toEqual([false, true]);
    wakeUps.close();
  });
});
