// Words for work that may have been done twice travel among the refs that it has yielded, until they are told.
import type { Refs } from './refs.ts';

/** What is to be told of refs, and the refs without it. */
export function tellTwice({ perhapsTwice, ...refs }: Refs): { refs: Refs; warnings: string[] } {
  return { refs, warnings: perhapsTwice === undefined ? [] : [perhapsTwice] };
}
