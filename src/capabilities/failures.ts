// The registry of failures: every code with which an asset, a run or a command can fail. Docs, commands and reports use it.
import { assetFailures } from '../failures/assets.ts';
import { commandFailures } from '../failures/commands.ts';
import type { FailureTable, KnownFailure } from '../failures/define.ts';
import { docsOf } from '../failures/docs-address.ts';
import { fileFailures, fileWarnings } from '../failures/files.ts';
import { pathFailures, placeFailures } from '../failures/places.ts';
import { apiFailures, platformFailures } from '../failures/platform.ts';
import { runFailures } from '../failures/runs.ts';
import { capabilities } from './index.ts';

/** In the order of the generated page of errors. */
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

/** All failures; each code belongs to exactly one table. */
export const knownFailures: readonly KnownFailure[] = [
  ...new Set(tables.flatMap((table) => Object.values(table))),
];

const byCode = new Map<string, KnownFailure>([
  ...Object.entries(platformFailures),
  ...knownFailures.map((failure) => [failure.code, failure] as const),
]);

/** Adds the failure codes of a project's plugin. */
export function addFailures(table: FailureTable): void {
  for (const failure of Object.values(table)) byCode.set(failure.code, failure);
}

/** Returns null for an unknown code, such as one of another version or a new one of the platform. */
export function knownFailure(code: string): KnownFailure | null {
  return byCode.get(code) ?? null;
}

/** Explanation of a failure code; title and fix are null for an unknown code. */
export interface FailureWords {
  title: string | null;
  fix: string | null;
  /** Address of the documentation of the code. */
  docs: string;
}

/** Adds title, fix and documentation link to a failure, as commands and their JSON show it. */
export function inWords<F extends { code: string }>(failure: F): F & FailureWords {
  const { title = null, fix = null } = knownFailure(failure.code) ?? {};
  return { ...failure, title, fix, docs: docsOf(failure.code) };
}
