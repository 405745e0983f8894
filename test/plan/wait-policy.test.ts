// When assets that come to a waiting step get a wait of their own, and when one under way takes them along.
import { describe, expect, it } from 'vitest';
import {
  type ActiveWait,
  type Arrivals,
  averageMs,
  batchDelayMs,
  decideWait,
  type WaitDecision,
} from '../../src/plan/wait-policy.ts';

const s = 1_000;
const min = 60 * s;
const h = 60 * min;

/** A wait for so many assets, the last of which came so long ago. */
const wait = (id: number, assets: number, newestAgoMs: number): ActiveWait => {
  return { id, assets, newestMs: 10 * h - newestAgoMs };
};
const came = (assets: number, agoMs: number): Arrivals => ({ assets, oldestMs: 10 * h - agoMs });

const decide = (
  arrivals: Arrivals,
  waits: ActiveWait[],
  tookMs: number | null = null,
  oldestAgoMs = 0,
) =>
  decideWait(arrivals, waits, {
    tookMs,
    oldestMs: Math.min(arrivals.oldestMs, 10 * h - oldestAgoMs),
    nowMs: 10 * h,
  });
const begin = (...merge: number[]): WaitDecision => ({ isStart: true, merge });
const again = (inMs: number): WaitDecision => {
  return { isStart: false, nextCheckAtMs: 10 * h + inMs };
};

describe('assets that come', () => {
  it.each<[string, WaitDecision, WaitDecision]>([
    ['first begin a wait at once', decide(came(1, 0), []), begin()],
    ['soon after others gather', decide(came(50, 0), [wait(1, 50, 500)]), again(1.5 * s)],
    ['and join those of the same wave', decide(came(50, 2 * s), [wait(1, 50, 2 * s)]), begin(1)],
    [
      'too few for that begin one of their own',
      decide(came(5, 2 * s), [wait(1, 50, 2 * s)]),
      begin(),
    ],
    [
      'long after others leave those in peace',
      decide(came(50, 2 * s), [wait(1, 50, min)], 5 * s),
      begin(),
    ],
    [
      'while four waits are under way join the smallest',
      decide(came(1, 2 * s), [wait(1, 50, h), wait(2, 3, h), wait(3, 9, h), wait(4, 4, h)], 5 * s),
      begin(2),
    ],
    [
      'gather for a share of what assets take there',
      decide(came(1, min), [wait(1, 1, h)], 30 * min),
      again(0.08 * 30 * min - min),
    ],
    [
      'gather for a share of what the oldest has taken so far, while none has come through',
      decide(came(1, min), [wait(1, 1, h)], null, h),
      again(0.08 * h - min),
    ],
    ['wait five minutes at most', decide(came(1, 5 * min), [wait(1, 1, 9 * h)], 6 * h), begin()],
  ])('%s', (_name, decided, expected) => {
    expect(decided).toEqual(expected);
  });
});

describe('patience', () => {
  it.each([
    [0, 1.5 * s],
    [5 * s, 1.5 * s],
    [min, 4.8 * s],
    [h, 288 * s],
    [10 * h, 5 * min],
  ])('for what takes %d ms is %d ms', (tookMs, patient) => {
    expect(batchDelayMs(tookMs)).toBe(patient);
  });

  it.each<[number | null, number[], number | null]>([
    [null, [], null],
    [700, [], 700],
    [null, [200, 400], 300],
    // One that was slow is soon forgotten where the others are quick.
    [10 * h, [5 * s], 5 * h + 2.5 * s],
  ])('learns from what comes through: %j, %j', (before, tookMs, after) => {
    expect(averageMs(before, tookMs)).toBe(after);
  });
});

/** Plays arrivals one by one, each of which takes so long; answers how many assets all inputs had together. */
function playTrickle(arrivals: number, everyMs: number, takesMs: number) {
  let waits: { id: number; entered: number[] }[] = [];
  let ready: number[] = [];
  let [nowMs, inputs, begun, interrupted, lastId] = [0, 0, 0, 0, 0];
  for (let came = 0; came < arrivals || ready.length > 0 || waits.length > 0; ) {
    if (came < arrivals && nowMs >= came * everyMs) {
      ready.push(nowMs);
      came += 1;
    }
    for (const one of waits) {
      const open = one.entered.filter((entered) => nowMs - entered < takesMs);
      if (open.length === one.entered.length) continue;
      ready.push(...open);
      waits = waits.filter((other) => other !== one);
    }
    for (let again = ready.length > 0; again; ) {
      again = false;
      const decision = decideWait(
        { assets: ready.length, oldestMs: Math.min(...ready) },
        waits.map(({ id, entered }) => {
          return { id, assets: entered.length, newestMs: Math.max(...entered) };
        }),
        {
          tookMs: nowMs > takesMs ? takesMs : null,
          oldestMs: Math.min(...ready, ...waits.flatMap(({ entered }) => entered)),
          nowMs,
        },
      );
      if (!decision.isStart) break;
      if (decision.merge.length > 0) {
        for (const id of decision.merge) {
          ready.push(...(waits.find((one) => one.id === id)?.entered ?? []));
          waits = waits.filter((one) => one.id !== id);
          interrupted += 1;
        }
        again = true;
        continue;
      }
      lastId += 1;
      begun += 1;
      inputs += ready.length;
      waits.push({ id: lastId, entered: ready });
      ready = [];
    }
    nowMs += 10 * s;
  }
  return { inputs, begun, interrupted };
}

describe('250 assets', () => {
  it('that come one by one over ten hours, each taking six, are in few inputs', () => {
    const { inputs, begun, interrupted } = playTrickle(250, 144 * s, 6 * h);
    // With one input for all at each arrival and each end it would be 250 x 250.
    expect(inputs).toBeLessThan(16_000);
    expect(begun + interrupted).toBeLessThan(600);
  });

  it('that come one by one and are quick cost one wait each', () => {
    const { inputs, begun, interrupted } = playTrickle(250, 144 * s, 20 * s);
    expect({ inputs, begun, interrupted }).toEqual({ inputs: 250, begun: 250, interrupted: 0 });
  });
});
