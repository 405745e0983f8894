// Formats the number of renders that a run needs. Pure.
import { formatCount } from './format-count.ts';

export interface NeededRenders {
  readonly renders: number;
  /** True if the number is an upper bound. */
  readonly max: boolean;
  /** Set if the number is a lower bound, because each variant of a production file is a render. */
  readonly min?: true | undefined;
}

/** Returns `at least `, `at most `, `about ` for both bounds, or nothing for an exact number. */
export function formatBound({ max, min }: Pick<NeededRenders, 'max' | 'min'>): string {
  if (min) return max ? 'about ' : 'at least ';
  return max ? 'at most ' : '';
}

export const variantsNote = ' (each variant of a production file is a render)';

/** Formats `10 jobs`, `at most 10 jobs`, or `at least 10 renders` with a note. @param noun unless captures are counted */
export function formatRenders(needed: NeededRenders, noun: string): string {
  const { renders, min } = needed;
  const count = formatCount(renders, min ? 'render' : noun);
  return `${formatBound(needed)}${count}${min ? variantsNote : ''}`;
}

/** Adds up renders. The sum is a bound if one of the numbers is. */
export function sumRenders(all: readonly NeededRenders[]): NeededRenders {
  return {
    renders: all.reduce((sum, { renders }) => sum + renders, 0),
    max: all.some(({ max }) => max),
    min: all.some(({ min }) => min) || undefined,
  };
}
