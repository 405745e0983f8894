// Options of `run` and `plan` that select assets and limit a run: --only, --where, --force and --limit.

import { collectOption, parsePairs } from '../../cli/params.ts';
import { type Limits, Limits as limitsOfFile } from '../../compile/pipeline.ts';
import { parseChoice } from '../../engine/discovery/parse-choice.ts';
import { commandFailures } from '../../failures/commands.ts';
import { sizeBytes } from '../../language/byte-size.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { Selection } from '../../plan/run/selection.ts';
import { RenderlineError } from '../renderline-error.ts';

/** Limits that only a pipeline file can set. */
const fileOnlyLimits: readonly string[] = ['inFlight', 'withdrawn'];
/** Names of a long list that are shown. */
const namesShown = 5;

export interface SelectionFlags {
  only?: string[] | undefined;
  where?: string | undefined;
  force?: true | undefined;
  limit?: string[] | undefined;
}

/** Arguments of commander's `option`. */
export const selectionOptions = {
  only: ['--only <key>', 'only these assets: a key, path, id or glob (repeatable)', collectOption],
  where: ['--where <cel>', 'only matching assets, such as \'reason == "new" && size < 1000000\''],
  force: ['--force', 'also process unchanged assets again; uploads are reused'],
  limit: [
    '--limit <name=n>',
    'maximum of renders, models, projects, requests or storage for this run (repeatable)',
    collectOption,
  ],
  withdrawAll: [
    '--withdraw-all',
    'withdraw all missing assets, even above `limits.withdrawn` or if the source is empty',
  ],
} as const;

/** Returns null if no option selects anything. @throws OnlyError, WhereError */
export function readSelection({ only, where, force }: SelectionFlags): Selection | null {
  if (only === undefined && where === undefined && !force) return null;
  const selection = withoutUndefined({ only, where, force });
  parseChoice(selection);
  return selection;
}

/**
 * Merges the limits of the file with those of the command line; the stricter value wins.
 * @throws RenderlineError for an invalid limit
 */
export function mergeLimits(ofFile: Limits, { limit }: SelectionFlags): Limits {
  const limits: Record<string, number | string> = { ...withoutUndefined(ofFile) };
  for (const [name, text] of Object.entries(parsePairs('--limit', limit))) {
    const value = name === 'storage' ? text : Number(text);
    const read = fileOnlyLimits.includes(name) ? null : limitsOfFile.safeParse({ [name]: value });
    if (!read?.success) throw badLimitError(name, text);
    const before = limits[name];
    if (before === undefined || toNumber(value) < toNumber(before)) limits[name] = value;
  }
  return limitsOfFile.parse(limits);
}

function toNumber(value: number | string): number {
  return typeof value === 'string' ? sizeBytes(value) : value;
}

function badLimitError(name: string, text: string): RenderlineError {
  return new RenderlineError(
    commandFailures.BAD_NUMBER,
    `--limit ${name}=${text} is not a valid limit.`,
    {
      fix: 'For example: --limit requests=1000 --limit renders=50 --limit storage=2GB (renders, models, projects, requests, storage)',
    },
  );
}

/** For example `only shoes/**; where size < 1000000; including unchanged`. */
export function formatSelection({ only, where, force }: Selection): string {
  return [
    ...(only === undefined ? [] : [`only ${formatNames(only)}`]),
    ...(where === undefined ? [] : [`where ${where}`]),
    ...(force ? ['including unchanged'] : []),
  ].join('; ');
}

function formatNames(names: readonly string[]): string {
  const rest = names.length - namesShown;
  const shown = names.slice(0, namesShown).join(', ');
  return rest > 0 ? `${shown} and ${rest.toLocaleString('en-US')} more` : shown;
}
