// Random choices of a round. Each is derived from the seed and a name, so a seed always gives the same choices.
import { fraction } from '@renderline/sandbox/seeded';

export interface Dice {
  /** True with this probability. */
  chance(probability: number, ...what: (string | number)[]): boolean;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number, ...what: (string | number)[]): number;
  pick<T>(of: readonly [T, ...T[]], ...what: (string | number)[]): T;
}

/** Choices are independent of each other: leaving out one fault kind changes no other choice. */
export function diceOf(seed: number): Dice {
  const draw = (what: (string | number)[]) => fraction(seed, 'chaos', ...what);
  const between = (least: number, most: number, ...what: (string | number)[]) =>
    least + Math.floor(draw(what) * (most - least + 1));
  return {
    chance: (probability, ...what) => draw(what) < probability,
    between,
    pick: (of, ...what) => of[between(0, of.length - 1, ...what)] ?? of[0],
  };
}
