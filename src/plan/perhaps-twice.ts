// Words for work that may have been done twice travel among the refs that it has yielded, until they are told.
import type { Refs } from './refs.ts';

/** Warnings about refs, and the refs without them. */
export function tellTwice({ perhapsTwice, ...refs }: Refs): { refs: Refs; warnings: string[] } {
  return { refs, warnings: perhapsTwice === undefined ? [] : [perhapsTwice] };
}
