// The machine's clock may be set at any time, and may be wrong from the start.
import { beforeEach, describe, expect, it } from 'vitest';
import { formatClockWarning, PlatformClock, startStopwatch } from '../../src/api/clock.ts';

const hourMs = 3_600_000;
const trueMs = Date.UTC(2026, 10, 26, 12);

/** The real time, and this machine's two clocks. */
let passedMs: number;
let wallAheadMs: number;
let sleptMs: number;
let told: number[];
let clock: PlatformClock;
const machine = {
  wall: () => trueMs + passedMs + wallAheadMs,
  monotonic: () => 1_000 + passedMs - sleptMs,
};
const realMs = () => trueMs + passedMs;

beforeEach(() => {
  [passedMs, wallAheadMs, sleptMs, told] = [0, 0, 0, []];
  clock = new PlatformClock((aheadMs) => told.push(aheadMs), machine);
});

/** A response of the platform, a tenth of a second after its request. */
function answer(): void {
  const sentMs = clock.sendingAtMs();
  passedMs += 100;
  clock.recordResponse(Math.floor(realMs() / 1_000) * 1_000, sentMs);
}

const jumps = [
  ['25 hours ahead', 25 * hourMs],
  ['25 hours behind', -25 * hourMs],
  ['a minute ahead', 60_000],
  ['a minute behind', -60_000],
] as const;

describe('the platform time', () => {
  it('the platform time equals a correct machine clock, to the millisecond', () => {
    for (let second = 0; second < 100; second += 1) {
      answer();
      passedMs += 917;
      expect(clock.now()).toBe(realMs());
    }
    expect(told).toEqual([]);
  });

  it('the platform time equals the machine clock before the first response', () => {
    wallAheadMs = hourMs;
    expect(clock.now()).toBe(realMs() + hourMs);
    expect(clock.isCertain).toBe(true);
  });

  it.each(jumps)(
    'the platform time is accurate to 1.2 s if the machine started %s',
    (_, aheadMs) => {
      wallAheadMs = aheadMs;
      for (let call = 0; call < 5; call += 1) answer();
      passedMs += 2 * hourMs;
      expect(Math.abs(clock.now() - realMs())).toBeLessThan(1_200);
      expect(Math.abs(clock.aheadMs - aheadMs)).toBeLessThan(1_200);
    },
  );

  it.each(jumps)(
    'the platform time stays correct if the machine is set %s between two responses',
    (_, aheadMs) => {
      answer();
      passedMs += hourMs;
      wallAheadMs = aheadMs;
      expect(Math.abs(clock.now() - realMs())).toBeLessThan(1_200);
      expect(clock.isCertain).toBe(false);
      answer();
      expect(clock.isCertain).toBe(true);
    },
  );

  it('the platform time is corrected by the first response after the machine has slept', () => {
    answer();
    [passedMs, sleptMs] = [passedMs + hourMs, hourMs];
    expect(clock.isCertain).toBe(false);
    answer();
    expect(clock.now()).toBe(realMs());
  });

  it('the platform time follows a change of the platform clock', () => {
    answer();
    const sentMs = clock.sendingAtMs();
    clock.recordResponse(realMs() + hourMs, sentMs);
    expect(Math.abs(clock.now() - realMs() - hourMs)).toBeLessThan(1_200);
  });

  it('the platform time does not go back while its bounds narrow', () => {
    wallAheadMs = -25 * hourMs;
    let lastMs = 0;
    for (let call = 0; call < 50; call += 1) {
      answer();
      passedMs += 137;
      expect(clock.now()).toBeGreaterThanOrEqual(lastMs);
      lastMs = clock.now();
    }
  });
});

describe('the warning about a wrong clock', () => {
  it('each change of the clock is reported once, including the return to the correct time', () => {
    for (const aheadMs of [0, 25 * hourMs, 25 * hourMs, -25 * hourMs, 0, 0]) {
      wallAheadMs = aheadMs;
      answer();
      answer();
    }
    const hours = told.map((aheadMs) => Math.round(aheadMs / hourMs));
    expect(hours).toEqual([25, -25, 0]);
  });

  it.each([
    [9_000, null],
    [-45_000, '45 s behind the'],
    [10 * 60_000, '10 min ahead of the'],
    [25 * hourMs, '25 h ahead of the'],
  ])('the warning depends on how far the clock is off (%d ms)', (aheadMs, words) => {
    const said = formatClockWarning(aheadMs);
    if (words === null) expect(said).toBeNull();
    else expect(said).toContain(words);
  });
});

describe('elapsed time', () => {
  it.each([
    ['is that of both clocks if they agree', 0, 0, 5_000],
    ['is that of the time of day if the machine slept', 0, 3_000, 5_000],
    ['is that of the monotonic clock if the time of day was set back', -hourMs, 0, 5_000],
    [
      'is that of the time of day if that was set ahead, since a longer time does no harm',
      hourMs,
      0,
      hourMs + 5_000,
    ],
  ])('elapsed time %s', (_, aheadMs, slept, expected) => {
    const since = startStopwatch(machine);
    [passedMs, wallAheadMs, sleptMs] = [passedMs + 5_000, aheadMs, slept];
    expect(since()).toBe(expected);
  });
});
