// Warnings about possible duplicates are stored with the platform ids until a step result reports them.
import type { Refs } from './refs.ts';

/** Takes the warning out of the platform ids. */
export function tellTwice({ perhapsTwice, ...refs }: Refs): { refs: Refs; warnings: string[] } {
  return { refs, warnings: perhapsTwice === undefined ? [] : [perhapsTwice] };
}
