// What notifications do to the waits of a worker: they wake, and nothing more.
import { beforeEach, describe, expect, it } from 'vitest';
import { Hints } from '../../src/engine/hints.ts';

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

describe('what was hinted at', () => {
  it('is known until a look at it begins', () => {
    hints.hear(['model/a']);
    expect([hints.has('model/a'), hints.has('model/b')]).toEqual([true, false]);
    hints.take('model/a');
    expect(hints.has('model/a')).toBe(false);
    hints.close();
  });

  it('makes looks rare only where hints were of use lately', () => {
    hints.hear(['model/of-others']);
    expect(hints.flowing).toBe(false);
    hints.hear(['model/a']);
    hints.take('model/a');
    expect(hints.flowing).toBe(true);
    nowMs += 14_999;
    expect(hints.flowing).toBe(true);
    nowMs += 1;
    expect(hints.flowing).toBe(false);
    hints.close();
  });

  it('makes no look rare once the receiver is away', () => {
    hints.hear(['model/a']);
    hints.take('model/a');
    hints.listening = false;
    expect(hints.flowing).toBe(false);
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
