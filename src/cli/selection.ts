// What a person chooses for one run: `--only`, `--where`, `--force` and `--limit` of `run` and `plan`.
import { type Limits, Limits as limitsOfFile } from '../compile/pipeline.ts';
import { commandFailures } from '../failures/commands.ts';
import { sizeBytes } from '../language/byte-size.ts';
import { choiceOf } from '../machinery/discovery/choice-of.ts';
import type { Selection } from '../plan/selection.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';
import { CliError } from './exit.ts';
import { gather, parsePairs } from './params.ts';

/** Limits that are no caps of a plan. */
const ofPlan: readonly string[] = ['inFlight', 'withdrawn'];
/** Names of a long list that are told. */
const namesShown = 5;

export interface SelectionFlags {
  only?: string[] | undefined;
  where?: string | undefined;
  force?: true | undefined;
  limit?: string[] | undefined;
}

/** The options as commander takes them. */
export const selectionOptions = {
  only: ['--only <key>', 'only these assets: a key, path, id or glob (repeatable)', gather],
  where: ['--where <cel>', 'only assets that fit, such as \'reason == "new" && size < 1000000\''],
  force: ['--force', 'do again also what is unchanged; what is uploaded stays'],
  limit: [
    '--limit <name=n>',
    'most renders, models, projects, requests or storage of this run (repeatable)',
    gather,
  ],
  withdrawAll: [
    '--withdraw-all',
    'withdraw all that is gone, also over `limits.withdrawn` and from an emptied source',
  ],
} as const;

/** @throws OnlyError, WhereError; null where all is taken, as usual */
export function selectionOf({ only, where, force }: SelectionFlags): Selection | null {
  if (only === undefined && where === undefined && !force) return null;
  const selection = withoutUndefined({ only, where, force });
  choiceOf(selection);
  return selection;
}

/**
 * The caps of the file, made stricter by those of the command line.
 * @throws CliError for one that is none
 */
export function limitsWith(ofFile: Limits, { limit }: SelectionFlags): Limits {
  const limits: Record<string, number | string> = { ...withoutUndefined(ofFile) };
  for (const [name, text] of Object.entries(parsePairs('--limit', limit))) {
    const value = name === 'storage' ? text : Number(text);
    const read = ofPlan.includes(name) ? null : limitsOfFile.safeParse({ [name]: value });
    if (!read?.success) throw noLimit(name, text);
    const before = limits[name];
    if (before === undefined || amount(value) < amount(before)) limits[name] = value;
  }
  return limitsOfFile.parse(limits);
}

function amount(value: number | string): number {
  return typeof value === 'string' ? sizeBytes(value) : value;
}

function noLimit(name: string, text: string): CliError {
  return new CliError(commandFailures.BAD_NUMBER, `--limit ${name}=${text} is no limit.`, {
    fix: 'For example: --limit requests=1000 --limit renders=50 --limit storage=2GB (renders, models, projects, requests, storage)',
  });
}

/** `only shoes/**, where size < 1000000, also what is unchanged` */
export function selectionWords({ only, where, force }: Selection): string {
  return [
    ...(only === undefined ? [] : [`only ${someOf(only)}`]),
    ...(where === undefined ? [] : [`where ${where}`]),
    ...(force ? ['also what is unchanged'] : []),
  ].join('; ');
}

function someOf(names: readonly string[]): string {
  const rest = names.length - namesShown;
  const shown = names.slice(0, namesShown).join(', ');
  return rest > 0 ? `${shown} and ${rest.toLocaleString('en-US')} more` : shown;
}
