// The assets that are selected for one run, and the limits of one run.
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

/** A selection whose fields may be undefined. */
export type SelectionOptions = { [Name in keyof Selection]: Selection[Name] | undefined };

/** Limits by name, as text: `{ requests: '1000', storage: '2GB' }`. */
export type LimitOptions = Readonly<Record<string, string>>;

/** Returns null if nothing is selected. @throws OnlyError, WhereError */
export function readSelection({ only, where, force }: SelectionOptions): Selection | null {
  if (only === undefined && where === undefined && !force) return null;
  const selection = withoutUndefined({ only, where, force });
  parseChoice(selection);
  return selection;
}

/**
 * Merges the limits of the file with those of one run; the stricter value wins.
 * @throws RenderlineError for an invalid limit
 */
export function mergeLimits(ofFile: Limits, ofRun: LimitOptions = {}): Limits {
  const limits: Record<string, number | string> = { ...withoutUndefined(ofFile) };
  for (const [name, text] of Object.entries(ofRun)) {
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
