// What a run came to: its result, or the failure that it closes with.
import { ApplicationFailure } from '@temporalio/workflow';
import type { Discovery, RunCarried, RunCause, RunInput, RunResult } from '../src/plan/contract.ts';

interface Ended {
  outcome: RunResult['outcome'];
  sums: Omit<RunCarried, 'discovery'>;
  discovery: Discovery;
  /** Why it began nothing new any more. */
  stopped: RunCause | null;
  /** Of all its executions. */
  historyEvents: number;
}

export function resultOf({ run, plan }: RunInput, ended: Ended): RunResult {
  const { outcome, sums, discovery, stopped, historyEvents } = ended;
  const { totals, failures, requests, startedAtMs } = sums;
  const { new: fresh, changed, unchanged, warnings } = discovery;
  return {
    run,
    pipeline: plan.pipeline,
    outcome,
    assets: { ...totals, new: fresh, changed, unchanged },
    ...(stopped ? { cause: stopped } : {}),
    failures,
    ...(warnings ? { warnings } : {}),
    requests,
    historyEvents,
    startedAtMs,
    seconds: Math.round((Date.now() - startedAtMs) / 100) / 10,
  };
}

/** A failed run closes as Failed, with its result as the failure's detail. */
export function failureOf(result: RunResult): ApplicationFailure {
  const { cause, assets } = result;
  return ApplicationFailure.create({
    message: cause
      ? `${cause.code}: ${cause.message}`
      : `all ${assets.failed} of ${assets.total} assets failed`,
    type: 'RunFailed',
    nonRetryable: true,
    details: [result],
  });
}
