import { compileSelection } from '../../engine/discovery/compile-selection.ts';
import { formatNumber } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Selection } from '../../plan/run/selection.ts';

const maxNamesShown = 5;

export type SelectionOptions = { [Name in keyof Selection]: Selection[Name] | undefined };

/** Checks a selection. Returns null if nothing is selected. @throws OnlyError, WhereError */
export function readSelection({ only, where, force }: SelectionOptions): Selection | null {
  if (only === undefined && where === undefined && !force) return null;
  const selection = omitUndefined({ only, where, force });
  compileSelection(selection);
  return selection;
}

/** Formats a selection, for example `only shoes/**; where size < 1000000; including unchanged`. */
export function formatSelection({ only, where, force }: Selection): string {
  return [
    ...(only === undefined ? [] : [`only ${formatFirst(only, maxNamesShown, formatRest)}`]),
    ...(where === undefined ? [] : [`where ${where}`]),
    ...(force ? ['including unchanged'] : []),
  ].join('; ');
}

const formatRest = (count: number) => ` and ${formatNumber(count)} more`;
