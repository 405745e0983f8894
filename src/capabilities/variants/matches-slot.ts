// Finds the slots that a swap rule means. Pure.
import type { SwapRule } from '../../plan/types.ts';

/** `exact` is the name to the letter; `contains` a part of it in any case. */
export function matchesSlot(
  { matchText, matchMode }: Pick<SwapRule, 'matchText' | 'matchMode'>,
  name: string,
): boolean {
  if (matchMode === 'exact') return name === matchText;
  return name.toLowerCase().includes(matchText.toLowerCase());
}
