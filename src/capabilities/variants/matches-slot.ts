// Finds the slots that a swap rule means. Pure.
import { isSameName } from '../../api/look-alike.ts';
import type { SwapRule } from '../../plan/types.ts';

/** `exact` is the name to the letter, however its accents are encoded; `contains` a part of it in any case. */
export function matchesSlot(
  { matchText, matchMode }: Pick<SwapRule, 'matchText' | 'matchMode'>,
  name: string,
): boolean {
  if (matchMode === 'exact') return isSameName(name, matchText);
  const [whole = '', part = ''] = [name, matchText].map((text) =>
    text.normalize('NFC').toLowerCase(),
  );
  return whole.includes(part);
}
