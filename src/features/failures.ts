// The registry of the failures of assets, runs and commands, by code. Docs, commands and reports use it.
import { assetFailures } from '../failures/assets.ts';
import { commandFailures } from '../failures/commands.ts';
import type { FailureTable, KnownFailure } from '../failures/define.ts';
import { docsLinkOf, platformCodesLink } from '../failures/docs-link.ts';
import { fileFailures, fileWarnings } from '../failures/files.ts';
import { apiFailures, platformFailures } from '../failures/platform.ts';
import { rowCauses, rowFailures } from '../failures/rows.ts';
import { runFailures } from '../failures/runs.ts';
import { pathFailures, storageFailures } from '../failures/storage.ts';
import { features } from './index.ts';

/** Tables of failures, in the order of the generated page of errors. */
const tables: readonly FailureTable[] = [
  apiFailures,
  runFailures,
  storageFailures,
  assetFailures,
  rowFailures,
  rowCauses,
  ...features.flatMap(({ failures }) => failures ?? []),
  fileFailures,
  pathFailures,
  fileWarnings,
  commandFailures,
];

/** All failures in the tables. Each code belongs to exactly one table. */
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

/** Finds the failure for a code. Returns null if unknown, such as a code of another version or of the platform. */
export function findFailure(code: string): KnownFailure | null {
  return byCode.get(code) ?? null;
}

/** Explanation of a failure code. Title and fix are null for an unknown code. */
export interface FailureExplanation {
  title: string | null;
  fix: string | null;
  /** Address of the documentation of the code. */
  docs: string;
}

/** Adds title, fix and documentation link to a failure, as commands and their JSON show it. */
export function explainFailure<F extends { code: string }>(failure: F): F & FailureExplanation {
  const known = findFailure(failure.code);
  const docs = known === null ? platformCodesLink : docsLinkOf(failure.code);
  return { ...failure, title: known?.title ?? null, fix: known?.fix ?? null, docs };
}
