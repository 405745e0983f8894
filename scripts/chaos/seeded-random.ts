// Random choices of a round. Each is derived from the seed and a name, so a seed always yields the same choices.
import { randomFraction } from '@renderline/sandbox/seeded-random';

export interface SeededRandom {
  /** Returns true with this probability. */
  chance(probability: number, ...labels: (string | number)[]): boolean;
  /** Returns a whole number from `min` to `max`, both inclusive. */
  between(min: number, max: number, ...labels: (string | number)[]): number;
  pick<T>(choices: readonly [T, ...T[]], ...labels: (string | number)[]): T;
}

/** Creates independent choices: leaving out one fault kind changes no other choice. */
export function createSeededRandom(seed: number): SeededRandom {
  const draw = (labels: (string | number)[]) => randomFraction(seed, 'chaos', ...labels);
  const between = (min: number, max: number, ...labels: (string | number)[]) =>
    min + Math.floor(draw(labels) * (max - min + 1));
  return {
    chance: (probability, ...labels) => draw(labels) < probability,
    between,
    pick: (choices, ...labels) => choices[between(0, choices.length - 1, ...labels)] ?? choices[0],
  };
}
