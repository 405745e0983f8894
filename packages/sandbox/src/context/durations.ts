// How long work takes: chosen by the sandbox's seed, and shortened by its speed.
import type { Sandbox } from './sandbox.ts';

/** Milliseconds at speed 1. */
export interface DurationRange {
  readonly min: number;
  readonly max: number;
}

/** Milliseconds within the range. @param kind of work; different kinds get different durations */
export function chooseDuration(
  { store, options }: Pick<Sandbox, 'store' | 'options'>,
  { min, max }: DurationRange,
  kind: string,
): number {
  return (min + (max - min) * store.nextFraction(kind)) / options.speed;
}
