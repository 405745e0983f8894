// Splits the results of an activity. The report goes to the workflow, and the rest is written to pages. Pure.
import { assetFailures } from '../../failures/assets.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { takeFitting } from '../../plan/helpers/bytes.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type {
  ReportedFailure,
  ShardAssetOutcome,
  StepCause,
  StepReport,
} from '../../plan/shard/step-contract.ts';
import type { AssetResult, Step } from '../../plan/types.ts';
import type { IdRules } from '../records/id-rules.ts';
import type { AssetState } from './asset-states.ts';
import type { AssetUpdate } from './shard-pages.ts';

/** Limits for the failures that are sent with a report. */
const maxReported = { count: 20, bytes: 8_000 };

export interface StepFindings {
  report: Omit<StepReport, 'pages'>;
  /** Updates for the pages of the step. An asset without changes has none. */
  updates: AssetUpdate[];
}

/** @param states states of all assets that the activity was given */
export function reportResults(
  step: Pick<Step, 'node' | 'retry' | 'onFailure'>,
  states: readonly AssetState[],
  results: readonly AssetResult[],
): StepFindings {
  const stateByKey = new Map(states.map((state) => [state.key, state]));
  const report: StepFindings['report'] = {
    done: [],
    pruned: [],
    failed: [],
    retry: [],
    reportedFailures: [],
  };
  const updates: AssetUpdate[] = [];
  const failedResults: ReportedFailure[] = [];
  for (const result of results) {
    const state = stateByKey.get(result.key);
    if (!state) continue;
    const isIgnored = result.outcome === 'failed' && step.onFailure === 'ignore';
    const outcome = isIgnored ? 'done' : result.outcome;
    report[outcome].push(state.assetIndex);
    const update = toUpdate(result, state, step);
    if (update) updates.push(update);
    if (outcome === 'failed' || outcome === 'retry')
      failedResults.push(reportedFailureOf(result, state));
  }
  report.reportedFailures = takeFitting(failedResults, maxReported);
  return { report, updates };
}

/** Merges the reports of several activities of one step. */
export function mergeReports(reports: readonly StepReport[]): StepReport {
  return {
    done: reports.flatMap(({ done }) => done),
    pruned: reports.flatMap(({ pruned }) => pruned),
    failed: reports.flatMap(({ failed }) => failed),
    retry: reports.flatMap(({ retry }) => retry),
    pages: reports.flatMap(({ pages }) => pages),
    reportedFailures: takeFitting(
      reports.flatMap(({ reportedFailures }) => reportedFailures),
      maxReported,
    ),
    ...omitUndefined({ hold: reports.find(({ hold }) => hold)?.hold }),
  };
}

function toUpdate(
  result: AssetResult,
  { assetIndex, retriesByStep }: AssetState,
  { node, retry, onFailure }: Pick<Step, 'node' | 'retry' | 'onFailure'>,
): AssetUpdate | null {
  if (result.outcome === 'pruned') return null;
  const { platformIds } = result;
  const idFields = platformIds && Object.keys(platformIds).length > 0 ? { platformIds } : {};
  switch (result.outcome) {
    case 'done': {
      const { files = [], warnings = [] } = result;
      const update: AssetUpdate = {
        assetIndex,
        ...idFields,
        ...(files.length > 0 ? { files } : {}),
        ...(warnings.length > 0 ? { warnings } : {}),
      };
      return Object.keys(update).length > 1 ? update : null;
    }
    case 'failed': {
      const { code, message, attempts = 1, forgetIds } = result;
      if (onFailure === 'ignore')
        return { assetIndex, ...idFields, warnings: [`${node}: ${message}`] };
      const failure = { code, message, attempts };
      return { assetIndex, ...idFields, ...omitUndefined({ forget: forgetIds }), failure };
    }
    case 'retry': {
      const failure = { code: result.code, message: result.message, attempts: 1 };
      const retries = (retry ? (retriesByStep.get(retry.step) ?? 0) : 0) + 1;
      if (!retry || retries > retry.max) return { assetIndex, ...idFields, failure };
      const retryIds = { ...platformIds, retries };
      return { assetIndex, platformIds: retryIds, failure, retryStep: retry.step };
    }
  }
}

function reportedFailureOf(
  result: AssetResult,
  { assetIndex, key, platformIds }: AssetState,
): ReportedFailure {
  const { code, message } = 'code' in result ? result : { code: '', message: '' };
  const attempts = ('attempts' in result ? result.attempts : undefined) ?? 1;
  const { modelId } = { ...platformIds, ...('platformIds' in result ? result.platformIds : {}) };
  return { assetIndex, key, code, message, attempts, ...omitUndefined({ modelId }) };
}

/** Creates the results of finalized assets, with their ids, files, warnings and failures. */
export function createFinalizedAssets(
  states: readonly AssetState[],
  finalized: readonly ShardAssetOutcome[],
  {
    causes,
    renderContinues,
    idRules,
  }: { causes: readonly StepCause[]; renderContinues?: string | undefined; idRules: IdRules },
): FinalizedAsset[] {
  const stateByIndex = new Map(states.map((state) => [state.assetIndex, state]));
  return finalized.flatMap(({ assetIndex, outcome, isStopped, failure, warningCauses }) => {
    const state = stateByIndex.get(assetIndex);
    if (!state) return [];
    const { key, source, platformIds, files } = state;
    const warnings = [...state.warnings, ...warningsOf(warningCauses, causes)];
    const workInProgress =
      outcome === 'cancelled' ? idRules.formatWorkInProgress(platformIds) : null;
    const isCancelRefused = renderContinues !== undefined;
    if (workInProgress !== null && isCancelRefused)
      warnings.push(`${workInProgress} could not be cancelled: ${renderContinues}`);
    const isUncancelled = workInProgress !== null && (isCancelRefused || isStopped === true);
    const renderFields = state.renderContinues || isUncancelled ? { renderContinues: true } : {};
    const failed = failure ? { key, ...toFailure(state, failure, causes) } : null;
    const details = { outcome, files, warnings, failure: failed, ...renderFields };
    return [{ key, source, platformIds, ...details }];
  });
}

/** Returns the failures of whole activities that the plan ignores, as warnings. */
export function warningsOf(
  warned: readonly number[] | undefined,
  causes: readonly StepCause[],
): string[] {
  return (warned ?? []).flatMap((index) => {
    const cause = causes[index];
    return cause ? [`${cause.node}: ${cause.message}`] : [];
  });
}

function toFailure(
  { failures }: AssetState,
  { node, attempts, cause }: NonNullable<ShardAssetOutcome['failure']>,
  causes: readonly StepCause[],
) {
  const stepCause = cause === undefined ? undefined : causes[cause];
  const text = stepCause ? { ...stepCause, attempts: 1 } : failures.get(node);
  const {
    code = assetFailures.ACTIVITY_FAILED.code,
    message = 'the reason of the failure is unknown',
  } = text ?? {};
  return { node, code, message, attempts: attempts ?? text?.attempts ?? 1 };
}
