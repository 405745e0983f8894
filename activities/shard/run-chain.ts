// Runs the steps that follow a step within the same activity, as long as they are quick. Chaining is best-effort: if a
// chained step was not run, or failed as a whole, the workflow schedules it as a separate activity. Only a cause that
// stops the whole run is reported at once.
import { Context } from '@temporalio/activity';
import type { StepType } from '../../src/engine/node-type.ts';
import { chunks } from '../../src/plan/helpers/chunks.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { StepInput, StepOutput, StepReport } from '../../src/plan/shard/step-contract.ts';
import { mergeReports } from '../../src/store/runs/step-report.ts';
import type { Deps } from '../deps.ts';
import { findRunCause } from '../failures.ts';

/** Pauses and other signals take effect between activities, so one activity must not run too long. */
const maxChainMs = 10_000;

export type FindStepType = (activity: string) => StepType | undefined;

type RunStepAttempt = (
  type: StepType,
  input: StepInput,
  deps: Deps,
  part: string,
) => Promise<StepReport>;

interface ChainDeps {
  /** When the activity started, by `monotonicNow`. */
  startedAtMs: number;
  typeOf: FindStepType;
  attempt: RunStepAttempt;
  deps: Deps;
}

/**
 * Returns what the steps of `chain` did with the assets, up to the first step that was not run, and in `stop` the cause
 * that stops the whole run.
 */
export async function runChain(
  { chain = [], ...input }: StepInput,
  first: StepReport,
  { startedAtMs, typeOf, attempt, deps }: ChainDeps,
): Promise<Pick<StepOutput, 'chain' | 'stop'>> {
  const { cancellationSignal } = Context.current();
  const reports: StepReport[] = [];
  const causes: RunCause[] = [];
  let { done: assets } = first;
  const pages = [...input.pages, ...first.pages];
  for (const [index, step] of chain.entries()) {
    const type = typeOf(step.activity);
    const hasTime = deps.monotonicNow() < startedAtMs + maxChainMs && !cancellationSignal.aborted;
    if (type === undefined || assets.length === 0 || !hasTime || causes.length > 0) break;
    const calls = chunks(assets, step.batch).map((assetsOfCall, call) => {
      const part = `-${index + 1}-${call + 1}`;
      return attempt(type, { ...input, step, assets: assetsOfCall, pages: [...pages] }, deps, part);
    });
    const settledCalls = await Promise.allSettled(calls);
    const report = mergeReports(
      settledCalls.flatMap((call) => (call.status === 'fulfilled' ? [call.value] : [])),
    );
    for (const call of settledCalls) {
      const cause = call.status === 'rejected' ? findRunCause(call.reason, deps.secrets) : null;
      if (cause) causes.push(cause);
    }
    reports.push(report);
    pages.push(...report.pages);
    assets = report.done;
  }
  const [stop] = causes;
  return { ...(reports.length > 0 ? { chain: reports } : {}), ...omitUndefined({ stop }) };
}
