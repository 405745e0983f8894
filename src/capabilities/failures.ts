// The registry of failures: every code that an asset, a run or a command can fail with. Docs, commands and reports read it.
import { assetFailures } from '../failures/assets.ts';
import { commandFailures } from '../failures/commands.ts';
import type { FailureTable, KnownFailure } from '../failures/define.ts';
import { docsOf } from '../failures/docs-address.ts';
import { fileFailures, fileWarnings } from '../failures/files.ts';
import { pathFailures, placeFailures } from '../failures/places.ts';
import { apiFailures, platformFailures } from '../failures/platform.ts';
import { runFailures } from '../failures/runs.ts';
import { capabilities } from './index.ts';

/** In the order of the page of errors. */
const tables: readonly FailureTable[] = [
  apiFailures,
  runFailures,
  placeFailures,
  assetFailures,
  ...capabilities.flatMap(({ failures }) => failures ?? []),
  fileFailures,
  pathFailures,
  fileWarnings,
  commandFailures,
];

/** A code stands in one table. */
export const knownFailures: readonly KnownFailure[] = [
  ...new Set(tables.flatMap((table) => Object.values(table))),
];

const byCode = new Map<string, KnownFailure>([
  ...Object.entries(platformFailures),
  ...knownFailures.map((failure) => [failure.code, failure] as const),
]);

/** Adds codes of a project's own plugin. */
export function addFailures(table: FailureTable): void {
  for (const failure of Object.values(table)) byCode.set(failure.code, failure);
}

/** Null for a code that this version does not know: of an older or newer version, or new of the platform. */
export function knownFailure(code: string): KnownFailure | null {
  return byCode.get(code) ?? null;
}

/** Null for a code that this version does not know. */
export interface FailureWords {
  title: string | null;
  fix: string | null;
  /** Where the pages tell of it. */
  docs: string;
}

/** A failure as commands and their JSON tell it. */
export function inWords<F extends { code: string }>(failure: F): F & FailureWords {
  const { title = null, fix = null } = knownFailure(failure.code) ?? {};
  return { ...failure, title, fix, docs: docsOf(failure.code) };
}
