// Tells the process what became of attempts: for its logs, metrics and traces. It changes nothing of them.
import { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import type { NoticeInput } from '../src/plan/notice-contract.ts';
import type { SettleInput, StepInput, StepOutput } from '../src/plan/step-contract.ts';
import { type StepNews, toldRunNotices, toldSettled, toldSteps } from '../src/telemetry/told.ts';

/** Makes an attempt of a step and tells how it went. A wait that has found nothing, and a cancel, are no news. */
export async function tellStep(
  { context, shard, step, assets }: StepInput,
  work: () => Promise<StepOutput>,
): Promise<StepOutput> {
  if (!toldSteps.isHeard) return work();
  const startedMs = performance.now();
  const { activityType: type, attempt } = Context.current().info;
  const tell = (news: Pick<StepNews, 'outcomes' | 'code'>) =>
    toldSteps.tell({
      pipeline: context.pipeline,
      run: context.run,
      shard,
      node: step.node,
      step: step.id,
      type,
      attempt,
      assets: assets.length,
      tookMs: performance.now() - startedMs,
      ...news,
    });
  try {
    const output = await work();
    const { done, pruned, failed, redo, told } = output;
    const code = told[0]?.code;
    tell({
      outcomes: {
        done: done.length,
        pruned: pruned.length,
        failed: failed.length,
        redo: redo.length,
      },
      ...(code === undefined ? {} : { code }),
    });
    return output;
  } catch (error) {
    if (!isNoNews(error)) tell({ outcomes: null, code: codeOf(error) });
    throw error;
  }
}

function isNoNews(error: unknown): boolean {
  if (error instanceof CancelledFailure) return true;
  if (!(error instanceof ApplicationFailure)) return false;
  return error.category === ApplicationFailureCategory.BENIGN && error.type === 'NOT_YET';
}

function codeOf(error: unknown): string {
  return error instanceof ApplicationFailure ? (error.type ?? 'UNKNOWN') : 'UNKNOWN';
}

/** Writes results and tells of them once they are written. */
export async function tellSettled<T>(
  { context, settled }: SettleInput,
  work: () => Promise<T>,
): Promise<T> {
  const result = await work();
  const outcomes: Record<string, number> = {};
  for (const { outcome } of settled) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  toldSettled.tell({ pipeline: context.pipeline, run: context.run, outcomes });
  return result;
}

/** Tells whether a receiver took the notice of a run. */
export async function tellRunNotice<T>(
  { notice }: NoticeInput,
  work: () => Promise<T>,
): Promise<T> {
  const { attempt } = Context.current().info;
  try {
    const result = await work();
    toldRunNotices.tell({ run: notice.run, attempt, ok: true });
    return result;
  } catch (error) {
    toldRunNotices.tell({ run: notice.run, attempt, ok: false });
    throw error;
  }
}
