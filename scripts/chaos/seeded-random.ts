// Random choices of a round. Each is derived from the seed and a name, so a seed always gives the same choices.
import { fraction } from '@renderline/sandbox/seeded-random';

export interface SeededRandom {
  /** True with this probability. */
  chance(probability: number, ...what: (string | number)[]): boolean;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number, ...what: (string | number)[]): number;
  pick<T>(of: readonly [T, ...T[]], ...what: (string | number)[]): T;
}

/** Choices are independent of each other: leaving out one fault kind changes no other choice. */
export function createSeededRandom(seed: number): SeededRandom {
  const draw = (what: (string | number)[]) => fraction(seed, 'chaos', ...what);
  const between = (min: number, max: number, ...what: (string | number)[]) =>
    min + Math.floor(draw(what) * (max - min + 1));
  return {
    chance: (probability, ...what) => draw(what) < probability,
    between,
    pick: (of, ...what) => of[between(0, of.length - 1, ...what)] ?? of[0],
  };
}
