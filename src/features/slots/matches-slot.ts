// Matches swap rules against slot names. Pure.
import { isSameName } from '../../api/requests/name-comparison.ts';
import type { SwapRule } from './swap-rule.ts';

/** `exact` compares the whole name, ignoring the Unicode encoding; `contains` matches a part, ignoring case too. */
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
