// Notifications only wake the waits of a worker.
import { beforeEach, describe, expect, it } from 'vitest';
import { Hints } from '../../src/machinery/watch/hints.ts';

const never = new AbortController().signal;
let nowMs: number;
let hints: Hints;
beforeEach(() => {
  nowMs = 1_000_000;
  hints = new Hints(() => nowMs);
  hints.listening = true;
});

describe('a held wait', () => {
  it('is woken by a hint', async () => {
    const held = hints.hold(60_000, never);
    hints.hear(['model/a']);
    expect(await held).toBe(true);
  });

  it('is woken by its tick when nothing comes', async () => {
    expect(await hints.hold(1, never)).toBe(true);
  });

  it('is not held where nobody would tell', async () => {
    hints.listening = false;
    expect(await hints.hold(60_000, never)).toBe(false);
  });

  it('is let go when the worker stops, and no other is held', async () => {
    const held = hints.hold(60_000, never);
    hints.close();
    expect(await held).toBe(false);
    expect(await hints.hold(60_000, never)).toBe(false);
  });

  it('ends with its attempt', async () => {
    const attempt = new AbortController();
    const held = hints.hold(60_000, attempt.signal);
    attempt.abort();
    await held;
    expect(await hints.hold(60_000, attempt.signal)).toBe(false);
  });

  it('leaves slots of the worker to calls', async () => {
    const held = Array.from({ length: 50 }, () => hints.hold(60_000, never));
    expect(await hints.hold(60_000, never)).toBe(false);
    hints.close();
    await Promise.all(held);
  });
});

describe('hints are relied on', () => {
  const relied = () => [hints.relied('model'), hints.relied('render')];

  it('as long as a receiver answers', () => {
    expect(relied()).toEqual([true, true]);
    hints.listening = false;
    expect(relied()).toEqual([false, false]);
  });

  it('until a look finds what none told of, and two seconds have not brought it; each kind for itself', () => {
    hints.seen('render/a');
    nowMs += 1_999;
    expect(relied()).toEqual([true, true]);
    nowMs += 1;
    expect(relied()).toEqual([true, false]);
  });

  it('when one comes a little after the look', () => {
    hints.seen('model/a');
    nowMs += 1_999;
    hints.hear(['model/a']);
    nowMs += 10_000;
    expect(relied()).toEqual([true, true]);
    hints.close();
  });

  it('when one came long before the look', () => {
    hints.hear(['render/a']);
    hints.take('render/a');
    nowMs += 10_000;
    hints.seen('render/a');
    nowMs += 10_000;
    expect(relied()).toEqual([true, true]);
    hints.close();
  });

  it('again once one was of use, not when it is of no use here', () => {
    hints.seen('model/a');
    nowMs += 2_000;
    expect(relied()).toEqual([false, true]);
    hints.hear(['model/of-others', 'model/b']);
    expect(relied()).toEqual([false, true]);
    hints.take('model/b');
    expect(relied()).toEqual([true, true]);
    hints.close();
  });

  it('whatever was found while the receiver was away', () => {
    hints.listening = false;
    hints.seen('model/a');
    nowMs += 10_000;
    hints.listening = true;
    expect(relied()).toEqual([true, true]);
  });
});

describe('what was hinted at', () => {
  it('is known until a look at it begins', () => {
    hints.hear(['model/a']);
    expect([hints.has('model/a'), hints.has('model/b')]).toEqual([true, false]);
    hints.take('model/a');
    expect(hints.has('model/a')).toBe(false);
    hints.close();
  });

  it('is known again when it is said again', () => {
    hints.hear(['model/a']);
    hints.take('model/a');
    hints.hear(['model/a']);
    expect(hints.has('model/a')).toBe(true);
    hints.close();
  });

  it('is forgotten after two minutes, and beyond twenty thousand', () => {
    hints.hear(['model/old']);
    nowMs += 120_000;
    hints.hear(['model/new']);
    expect([hints.has('model/old'), hints.has('model/new')]).toEqual([false, true]);
    hints.hear(Array.from({ length: 20_000 }, (_, index) => `model/${index}`));
    expect([hints.has('model/new'), hints.has('model/0')]).toEqual([false, true]);
    hints.close();
  });
});
