// Splits the results of an activity: the report goes to the workflow, the rest into pages. Pure.
import { assetFailures } from '../../failures/assets.ts';
import { firstFitting } from '../../plan/bytes.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import type { SettledAt, StepCause, StepReport, ToldFailure } from '../../plan/step-contract.ts';
import type { AssetResult, Step } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { RefBook } from '../records/ref-book.ts';
import type { AssetSheet } from './asset-sheets.ts';
import type { AssetPatch } from './shard-pages.ts';

/** Failures whose text is sent with a report. */
const toldAtMost = { count: 20, bytes: 8_000 };

export interface Reported {
  report: Omit<StepReport, 'pages'>;
  /** For the page of the step; no update for an asset without news. */
  patches: AssetPatch[];
}

/** @param sheets states of all assets that the activity was given */
export function reportResults(
  step: Pick<Step, 'node' | 'redo' | 'onFailure'>,
  sheets: readonly AssetSheet[],
  results: readonly AssetResult[],
): Reported {
  const sheetOf = new Map(sheets.map((sheet) => [sheet.key, sheet]));
  const report: Reported['report'] = { done: [], pruned: [], failed: [], redo: [], told: [] };
  const patches: AssetPatch[] = [];
  const told: ToldFailure[] = [];
  for (const result of results) {
    const sheet = sheetOf.get(result.key);
    if (!sheet) continue;
    const outcome = outcomeOf(result, step);
    report[outcome].push(sheet.at);
    const patch = patchOf(result, sheet, step);
    if (patch) patches.push(patch);
    if (outcome === 'failed' || outcome === 'redo') told.push(toldOf(result, sheet));
  }
  report.told = firstFitting(told, toldAtMost);
  return { report, patches };
}

/** Merges the reports of several calls of one step. */
export function mergeReports(reports: readonly StepReport[]): StepReport {
  return {
    done: reports.flatMap(({ done }) => done),
    pruned: reports.flatMap(({ pruned }) => pruned),
    failed: reports.flatMap(({ failed }) => failed),
    redo: reports.flatMap(({ redo }) => redo),
    pages: reports.flatMap(({ pages }) => pages),
    told: firstFitting(
      reports.flatMap(({ told }) => told),
      toldAtMost,
    ),
  };
}

function outcomeOf(
  { outcome }: AssetResult,
  { onFailure }: Pick<Step, 'onFailure'>,
): AssetResult['outcome'] {
  return outcome === 'failed' && onFailure === 'ignore' ? 'done' : outcome;
}

function patchOf(
  result: AssetResult,
  { at, redone }: AssetSheet,
  { node, redo, onFailure }: Pick<Step, 'node' | 'redo' | 'onFailure'>,
): AssetPatch | null {
  if (result.outcome === 'pruned') return null;
  const { refs } = result;
  const known = refs && Object.keys(refs).length > 0 ? { refs } : {};
  switch (result.outcome) {
    case 'done': {
      const { files = [], warnings = [] } = result;
      const patch: AssetPatch = {
        at,
        ...known,
        ...(files.length > 0 ? { files } : {}),
        ...(warnings.length > 0 ? { warnings } : {}),
      };
      return Object.keys(patch).length > 1 ? patch : null;
    }
    case 'failed': {
      const { code, message, attempts = 1, forget } = result;
      if (onFailure === 'ignore') return { at, ...known, warnings: [`${node}: ${message}`] };
      return {
        at,
        ...known,
        ...withoutUndefined({ forget }),
        failure: { code, message, attempts },
      };
    }
    case 'redo': {
      const failure = { code: result.code, message: result.message, attempts: 1 };
      const retries = (redo ? (redone.get(redo.step) ?? 0) : 0) + 1;
      if (!redo || retries > redo.max) return { at, ...known, failure };
      return { at, refs: { ...refs, retries }, failure, redo: redo.step };
    }
  }
}

function toldOf(result: AssetResult, { at, key, refs }: AssetSheet): ToldFailure {
  const { code, message } = 'code' in result ? result : { code: '', message: '' };
  const attempts = ('attempts' in result ? result.attempts : undefined) ?? 1;
  const { modelId } = { ...refs, ...('refs' in result ? result.refs : {}) };
  return { at, key, code, message, attempts, ...withoutUndefined({ modelId }) };
}

/** The results of finalized assets, with everything that is known about them. */
export function settledAssets(
  sheets: readonly AssetSheet[],
  settled: readonly SettledAt[],
  {
    causes,
    renderGoesOn,
    book,
  }: { causes: readonly StepCause[]; renderGoesOn?: string | undefined; book: RefBook },
): SettledAsset[] {
  const sheetAt = new Map(sheets.map((sheet) => [sheet.at, sheet]));
  return settled.flatMap(({ at, outcome, failure, warned }) => {
    const sheet = sheetAt.get(at);
    if (!sheet) return [];
    const { key, source, refs, files } = sheet;
    const warnings = [...sheet.warnings, ...warningsOf(warned, causes)];
    const isUnasked = outcome === 'cancelled' && renderGoesOn !== undefined;
    const left = isUnasked ? book.underWay(refs) : null;
    if (left !== null) warnings.push(`${left} could not be cancelled: ${renderGoesOn}`);
    const goesOn = sheet.renderGoesOn || left !== null ? { renderGoesOn: true } : {};
    return [
      {
        key,
        source,
        refs,
        outcome,
        files,
        warnings,
        failure: failure ? { key, ...failureOf(sheet, failure, causes) } : null,
        ...goesOn,
      },
    ];
  });
}

/** Failures of whole activities that the plan ignores, as warnings. */
export function warningsOf(
  warned: readonly number[] | undefined,
  causes: readonly StepCause[],
): string[] {
  return (warned ?? []).flatMap((index) => {
    const cause = causes[index];
    return cause ? [`${cause.node}: ${cause.message}`] : [];
  });
}

function failureOf(
  { failures }: AssetSheet,
  { node, attempts, cause }: NonNullable<SettledAt['failure']>,
  causes: readonly StepCause[],
) {
  const whole = cause === undefined ? undefined : causes[cause];
  const text = whole ? { ...whole, attempts: 1 } : failures.get(node);
  const { code = assetFailures.ACTIVITY_FAILED.code, message = 'the reason is not known' } =
    text ?? {};
  return { node, code, message, attempts: attempts ?? text?.attempts ?? 1 };
}
