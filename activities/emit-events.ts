// Emits events about attempts for logs, metrics and traces. The results are not changed.
import { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import { findFailure } from '../src/features/failures.ts';
import type { FinalizedAsset } from '../src/plan/contract/contract.ts';
import type { NoticeInput } from '../src/plan/contract/notice-contract.ts';
import { omitUndefined } from '../src/plan/helpers/omit-undefined.ts';
import type { RunContext } from '../src/plan/run/run-context.ts';
import type { StepInput, StepReport } from '../src/plan/shard/step-contract.ts';
import type { AssetResult, StepAsset } from '../src/plan/types.ts';
import {
  assetOutcomeEvents,
  finalizedEvents,
  runNoticeEvents,
  type StepEvent,
  stepEvents,
} from '../src/telemetry/events.ts';
import { toFailure } from './failures.ts';

/** Label for codes outside the failure registry, so that the platform cannot add labels without limit. */
const unlistedCode = 'OTHER';

/** Fields needed to emit an event, in addition to the step's input. */
interface StepAttempt {
  /** Type of this step. The name of the running activity may differ: in a chain it is the type of the first step. */
  type: string;
  secrets: readonly string[];
}

/** Runs an attempt of a step and emits its outcome. A wait without a change and a cancellation emit no event. */
export async function emitStep(
  { context, shard, step, assets }: StepInput,
  { type, secrets }: StepAttempt,
  task: () => Promise<StepReport>,
): Promise<StepReport> {
  if (!stepEvents.hasSubscribers) return task();
  const startedAtMs = performance.now();
  const { attempt } = Context.current().info;
  const emit = (event: Pick<StepEvent, 'outcomes' | 'code'>) =>
    stepEvents.emit({
      pipeline: context.pipeline,
      run: context.run,
      shard,
      node: step.node,
      step: step.id,
      type,
      attempt,
      assets: assets.length,
      durationMs: performance.now() - startedAtMs,
      ...event,
    });
  try {
    const report = await task();
    const { done, pruned, failed, retry, reportedFailures } = report;
    const code = reportedFailures[0]?.code;
    const failures = { failed: failed.length, retry: retry.length };
    const outcomes = { done: done.length, pruned: pruned.length, ...failures };
    emit({ outcomes, ...omitUndefined({ code }) });
    return report;
  } catch (error) {
    const failure = toFailure(error, attempt, secrets);
    if (!isRoutineError(failure)) emit({ outcomes: null, code: codeOf(failure) });
    throw error;
  }
}

function isRoutineError(error: Error): boolean {
  if (error instanceof CancelledFailure) return true;
  if (!(error instanceof ApplicationFailure)) return false;
  return error.category === ApplicationFailureCategory.BENIGN && error.type === 'NOT_YET';
}

function codeOf(error: Error): string {
  return error instanceof ApplicationFailure ? (error.type ?? 'UNKNOWN') : 'UNKNOWN';
}

/**
 * Emits what a step did with each asset. Messages are omitted, since they may contain text of files or of the platform.
 * @param durationMsOf time that an asset spent in this step
 */
export function emitStepResults(
  { context, shard, step }: StepInput,
  type: string,
  { results, assets }: { results: readonly AssetResult[]; assets: readonly StepAsset[] },
  durationMsOf: (asset: StepAsset | undefined) => number,
): void {
  if (!assetOutcomeEvents.hasSubscribers) return;
  const byKey = new Map(assets.map((asset) => [asset.key, asset]));
  const { pipeline, run } = context;
  const { attempt } = Context.current().info;
  assetOutcomeEvents.emit({
    pipeline,
    run,
    shard,
    step: { node: step.node, id: step.id, type, attempt },
    assets: results.map((result) => {
      const asset = byKey.get(result.key);
      const code = 'code' in result ? result.code : undefined;
      const createdId = 'platformIds' in result ? result.platformIds?.modelId : undefined;
      const modelId = createdId ?? asset?.platformIds.modelId;
      const { key, outcome } = result;
      return { key, outcome, durationMs: durationMsOf(asset), ...omitUndefined({ code, modelId }) };
    }),
  });
}

/** Emits how assets ended: each asset, counts by outcome, counts by failure code. Called after results are written. */
export function emitFinalized(
  { context, shard }: { context: Pick<RunContext, 'pipeline' | 'run'>; shard: number },
  finalized: readonly Pick<FinalizedAsset, 'key' | 'outcome' | 'failure' | 'platformIds'>[],
): void {
  const { pipeline, run } = context;
  if (assetOutcomeEvents.hasSubscribers) {
    const assets = finalized.map(({ key, outcome, failure, platformIds }) => {
      const { node, code } = failure ?? {};
      return { key, outcome, ...omitUndefined({ node, code, modelId: platformIds.modelId }) };
    });
    assetOutcomeEvents.emit({ pipeline, run, shard, assets });
  }
  const outcomes: Record<string, number> = {};
  const codes: Record<string, number> = {};
  for (const { outcome, failure } of finalized) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (failure === null) continue;
    const code = findFailure(failure.code)?.code ?? unlistedCode;
    codes[code] = (codes[code] ?? 0) + 1;
  }
  finalizedEvents.emit({ pipeline, run, outcomes, codes });
}

/** Emits whether a receiver accepted the notice of a run. */
export async function emitRunNotice<T>(
  { notice }: NoticeInput,
  task: () => Promise<T>,
): Promise<T> {
  const { attempt } = Context.current().info;
  try {
    const result = await task();
    runNoticeEvents.emit({ run: notice.run, attempt, problem: null, isFinal: true });
    return result;
  } catch (error) {
    const isFinal = error instanceof ApplicationFailure && error.nonRetryable === true;
    const problem = error instanceof Error ? error.message : String(error);
    runNoticeEvents.emit({ run: notice.run, attempt, problem, isFinal });
    throw error;
  }
}
