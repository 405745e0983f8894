// Logarithmic axes, with the positions of values and tick labels.

export interface Scale {
  at(value: number): number;
  ticks: readonly number[];
}

/** Creates a log axis. @param ticks labelled values, all above 0 @param range positions of the minimum and maximum */
export function logScale(ticks: readonly number[], range: readonly [number, number]): Scale {
  const min = Math.log(Math.min(...ticks));
  const max = Math.log(Math.max(...ticks));
  const [from, to] = range;
  // A single value is placed in the middle.
  const share = (value: number) => (max === min ? 0.5 : (Math.log(value) - min) / (max - min));
  return { at: (value) => from + share(value) * (to - from), ticks };
}

/** Returns ticks that enclose all values: 1, 2 and 5 of each power of ten, or only the powers if there are many. */
export function roundTicks(values: readonly number[]): number[] {
  const min = Math.min(...values);
  const max = Math.max(...values);
  const fine = stepsAround(min, max, [1, 2, 5]);
  return fine.length <= maxFineTicks ? fine : stepsAround(min, max, [1]);
}

const maxFineTicks = 8;

function stepsAround(min: number, max: number, steps: readonly number[]): number[] {
  const ticks: number[] = [];
  for (let power = -3; power <= 9; power += 1) {
    ticks.push(...steps.map((step) => Number(`${step}e${power}`)));
  }
  const first = ticks.findLastIndex((tick) => tick <= min);
  const last = ticks.findIndex((tick) => tick >= max);
  // A value that is itself a tick still needs a range.
  return ticks.slice(first, Math.max(last, first + 1) + 1);
}
