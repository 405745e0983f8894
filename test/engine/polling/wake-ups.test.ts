// Notifications only wake the waits of a worker.
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

describe('a held wait', () => {
  it('is woken by a notification', async () => {
    const held = wakeUps.holdWait(60_000, never);
    wakeUps.receive(['model/a']);
    expect(await held).toBe(true);
  });

  it('is woken after its interval without a notification', async () => {
    expect(await wakeUps.holdWait(1, never)).toBe(true);
  });

  it('is not held if there is no receiver', async () => {
    wakeUps.isListening = false;
    expect(await wakeUps.holdWait(60_000, never)).toBe(false);
  });

  it('is released when the worker stops, and no other wait is held', async () => {
    const held = wakeUps.holdWait(60_000, never);
    wakeUps.close();
    expect(await held).toBe(false);
    expect(await wakeUps.holdWait(60_000, never)).toBe(false);
  });

  it('ends with its attempt', async () => {
    const attempt = new AbortController();
    const held = wakeUps.holdWait(60_000, attempt.signal);
    attempt.abort();
    await held;
    expect(await wakeUps.holdWait(60_000, attempt.signal)).toBe(false);
  });

  it('is not held if fifty others are', async () => {
    const held = Array.from({ length: 50 }, () => wakeUps.holdWait(60_000, never));
    expect(await wakeUps.holdWait(60_000, never)).toBe(false);
    wakeUps.close();
    await Promise.all(held);
  });
});

describe('notifications are reliable', () => {
  const relied = () => [wakeUps.isReliable('model'), wakeUps.isReliable('render')];

  it('as long as a receiver is listening', () => {
    expect(relied()).toEqual([true, true]);
    wakeUps.isListening = false;
    expect(relied()).toEqual([false, false]);
  });

  it('until an item finishes without a notification within two seconds, separately for each kind', () => {
    wakeUps.recordFinished('render/a');
    nowMs += 1_999;
    expect(relied()).toEqual([true, true]);
    nowMs += 1;
    expect(relied()).toEqual([true, false]);
  });

  it('if one arrives shortly after the poll', () => {
    wakeUps.recordFinished('model/a');
    nowMs += 1_999;
    wakeUps.receive(['model/a']);
    nowMs += 10_000;
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('if one arrived long before the poll', () => {
    wakeUps.receive(['render/a']);
    wakeUps.consume('render/a');
    nowMs += 10_000;
    wakeUps.recordFinished('render/a');
    nowMs += 10_000;
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('again after a useful notification, and not after a useless one', () => {
    wakeUps.recordFinished('model/a');
    nowMs += 2_000;
    expect(relied()).toEqual([false, true]);
    wakeUps.receive(['model/of-others', 'model/b']);
    expect(relied()).toEqual([false, true]);
    wakeUps.consume('model/b');
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('whatever finished while there was no receiver', () => {
    wakeUps.isListening = false;
    wakeUps.recordFinished('model/a');
    nowMs += 10_000;
    wakeUps.isListening = true;
    expect(relied()).toEqual([true, true]);
  });
});

describe('a pending wake-up', () => {
  it('is known until a poll of its item begins', () => {
    wakeUps.receive(['model/a']);
    expect([wakeUps.has('model/a'), wakeUps.has('model/b')]).toEqual([true, false]);
    wakeUps.consume('model/a');
    expect(wakeUps.has('model/a')).toBe(false);
    wakeUps.close();
  });

  it('is known again after another notification', () => {
    wakeUps.receive(['model/a']);
    wakeUps.consume('model/a');
    wakeUps.receive(['model/a']);
    expect(wakeUps.has('model/a')).toBe(true);
    wakeUps.close();
  });

  it('is forgotten after two minutes, and beyond twenty thousand', () => {
    wakeUps.receive(['model/old']);
    nowMs += 120_000;
    wakeUps.receive(['model/new']);
    expect([wakeUps.has('model/old'), wakeUps.has('model/new')]).toEqual([false, true]);
    wakeUps.receive(Array.from({ length: 20_000 }, (_, index) => `model/${index}`));
    expect([wakeUps.has('model/new'), wakeUps.has('model/0')]).toEqual([false, true]);
    wakeUps.close();
  });
});
