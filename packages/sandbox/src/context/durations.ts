// How long work takes. The duration depends on the sandbox's seed and is divided by its speed.
import type { Sandbox } from './sandbox.ts';

/** Milliseconds at speed 1. */
export interface DurationRange {
  readonly min: number;
  readonly max: number;
}

/** Chooses ms within the range, divided by the speed. @param kind kind of work, which has its own random sequence */
export function chooseDuration(
  { store, options }: Pick<Sandbox, 'store' | 'options'>,
  { min, max }: DurationRange,
  kind: string,
): number {
  return (min + (max - min) * store.nextFraction(kind)) / options.speed;
}
