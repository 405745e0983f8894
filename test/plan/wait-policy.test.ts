// Tests when assets that arrive at a waiting step get their own wait, and when they join an active one.
import { describe, expect, it } from 'vitest';
import {
  type ActiveWait,
  type Arrivals,
  computeAverageMs,
  computeBatchDelayMs,
  decideWait,
  type WaitDecision,
} from '../../src/plan/wait-policy.ts';

const s = 1_000;
const min = 60 * s;
const h = 60 * min;

/** A wait for a number of assets, with the age of its newest arrival. */
const wait = (id: number, assets: number, newestAgoMs: number): ActiveWait => {
  return { id, assets, newestReadyAtMs: 10 * h - newestAgoMs };
};
const came = (assets: number, agoMs: number): Arrivals => ({
  assets,
  oldestReadyAtMs: 10 * h - agoMs,
});

const decide = (
  arrivals: Arrivals,
  waits: ActiveWait[],
  usualDurationMs: number | null = null,
  oldestAgoMs = 0,
) =>
  decideWait(arrivals, waits, {
    usualDurationMs,
    firstEnteredAtMs: Math.min(arrivals.oldestReadyAtMs, 10 * h - oldestAgoMs),
    nowMs: 10 * h,
  });
const begin = (...merge: number[]): WaitDecision => ({ isStart: true, merge });
const again = (inMs: number): WaitDecision => {
  return { isStart: false, nextCheckAtMs: 10 * h + inMs };
};

describe('assets that arrive at a wait', () => {
  it.each<[string, WaitDecision, WaitDecision]>([
    ['first start a wait immediately', decide(came(1, 0), []), begin()],
    [
      'soon after others wait for more arrivals',
      decide(came(50, 0), [wait(1, 50, 500)]),
      again(1.5 * s),
    ],
    [
      'in the same wave as others join their wait',
      decide(came(50, 2 * s), [wait(1, 50, 2 * s)]),
      begin(1),
    ],
    [
      'in too small a number start their own wait',
      decide(came(5, 2 * s), [wait(1, 50, 2 * s)]),
      begin(),
    ],
    [
      'long after others do not interrupt their wait',
      decide(came(50, 2 * s), [wait(1, 50, min)], 5 * s),
      begin(),
    ],
    [
      'while four waits are active join the smallest',
      decide(came(1, 2 * s), [wait(1, 50, h), wait(2, 3, h), wait(3, 9, h), wait(4, 4, h)], 5 * s),
      begin(2),
    ],
    [
      'wait for more arrivals for a share of the average time in the step',
      decide(came(1, min), [wait(1, 1, h)], 30 * min),
      again(0.08 * 30 * min - min),
    ],
    [
      'wait for a share of the age of the oldest asset while none has finished',
      decide(came(1, min), [wait(1, 1, h)], null, h),
      again(0.08 * h - min),
    ],
    [
      'wait for more arrivals for at most five minutes',
      decide(came(1, 5 * min), [wait(1, 1, 9 * h)], 6 * h),
      begin(),
    ],
  ])('assets that arrive %s', (_name, decided, expected) => {
    expect(decided).toEqual(expected);
  });
});

describe('the batch delay of a wait', () => {
  it.each([
    [0, 1.5 * s],
    [5 * s, 1.5 * s],
    [min, 4.8 * s],
    [h, 288 * s],
    [10 * h, 5 * min],
  ])('the batch delay for an average time of %d ms is %d ms', (tookMs, patient) => {
    expect(computeBatchDelayMs(tookMs)).toBe(patient);
  });
});

describe('the average time of a wait', () => {
  it.each<[number | null, number[], number | null]>([
    [null, [], null],
    [700, [], 700],
    [null, [200, 400], 300],
    // A slow asset soon loses its influence if the other assets are quick.
    [10 * h, [5 * s], 5 * h + 2.5 * s],
  ])('the average of %j after assets that took %j is %j', (before, tookMs, after) => {
    expect(computeAverageMs(before, tookMs)).toBe(after);
  });
});

/**
 * Simulates single arrivals with the given duration. Returns the number of assets in all inputs, and the number of
 * waits.
 */
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
        { assets: ready.length, oldestReadyAtMs: Math.min(...ready) },
        waits.map(({ id, entered }) => {
          return { id, assets: entered.length, newestReadyAtMs: Math.max(...entered) };
        }),
        {
          usualDurationMs: nowMs > takesMs ? takesMs : null,
          firstEnteredAtMs: Math.min(...ready, ...waits.flatMap(({ entered }) => entered)),
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

describe('250 assets at a wait', () => {
  it('assets that arrive one by one over ten hours, and take six hours each, need few inputs', () => {
    const { inputs, begun, interrupted } = playTrickle(250, 144 * s, 6 * h);
    // With one input for all assets at each arrival and each end, the number would be 250 x 250.
    expect(inputs).toBeLessThan(16_000);
    expect(begun + interrupted).toBeLessThan(600);
  });

  it('assets that arrive one by one and are finished quickly need one wait each', () => {
    const { inputs, begun, interrupted } = playTrickle(250, 144 * s, 20 * s);
    expect({ inputs, begun, interrupted }).toEqual({ inputs: 250, begun: 250, interrupted: 0 });
  });
});
