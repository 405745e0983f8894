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
  it('is woken by a hint', async () => {
    const held = wakeUps.holdWait(60_000, never);
    wakeUps.receive(['model/a']);
    expect(await held).toBe(true);
  });

  it('is woken by its tick when nothing comes', async () => {
    expect(await wakeUps.holdWait(1, never)).toBe(true);
  });

  it('is not held where nobody would tell', async () => {
    wakeUps.isListening = false;
    expect(await wakeUps.holdWait(60_000, never)).toBe(false);
  });

  it('is let go when the worker stops, and no other is held', async () => {
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

  it('leaves slots of the worker to calls', async () => {
    const held = Array.from({ length: 50 }, () => wakeUps.holdWait(60_000, never));
    expect(await wakeUps.holdWait(60_000, never)).toBe(false);
    wakeUps.close();
    await Promise.all(held);
  });
});

describe('hints are relied on', () => {
  const relied = () => [wakeUps.isReliable('model'), wakeUps.isReliable('render')];

  it('as long as a receiver answers', () => {
    expect(relied()).toEqual([true, true]);
    wakeUps.isListening = false;
    expect(relied()).toEqual([false, false]);
  });

  it('until a look finds what none told of, and two seconds have not brought it; each kind for itself', () => {
    wakeUps.recordFinished('render/a');
    nowMs += 1_999;
    expect(relied()).toEqual([true, true]);
    nowMs += 1;
    expect(relied()).toEqual([true, false]);
  });

  it('when one comes a little after the look', () => {
    wakeUps.recordFinished('model/a');
    nowMs += 1_999;
    wakeUps.receive(['model/a']);
    nowMs += 10_000;
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('when one came long before the look', () => {
    wakeUps.receive(['render/a']);
    wakeUps.consume('render/a');
    nowMs += 10_000;
    wakeUps.recordFinished('render/a');
    nowMs += 10_000;
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('again once one was of use, not when it is of no use here', () => {
    wakeUps.recordFinished('model/a');
    nowMs += 2_000;
    expect(relied()).toEqual([false, true]);
    wakeUps.receive(['model/of-others', 'model/b']);
    expect(relied()).toEqual([false, true]);
    wakeUps.consume('model/b');
    expect(relied()).toEqual([true, true]);
    wakeUps.close();
  });

  it('whatever was found while the receiver was away', () => {
    wakeUps.isListening = false;
    wakeUps.recordFinished('model/a');
    nowMs += 10_000;
    wakeUps.isListening = true;
    expect(relied()).toEqual([true, true]);
  });
});

describe('what was hinted at', () => {
  it('is known until a look at it begins', () => {
    wakeUps.receive(['model/a']);
    expect([wakeUps.has('model/a'), wakeUps.has('model/b')]).toEqual([true, false]);
    wakeUps.consume('model/a');
    expect(wakeUps.has('model/a')).toBe(false);
    wakeUps.close();
  });

  it('is known again when it is said again', () => {
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
