// The result of a run, or the failure that closes the run.

import { ApplicationFailure } from '@temporalio/workflow';
import type {
  Discovery,
  RunContinuation,
  RunInput,
  RunResult,
  RunWarning,
} from '../../src/plan/contract/contract.ts';
import { formatCount } from '../../src/plan/helpers/format-count.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { OtherRunAssets } from '../../src/plan/shard/step-contract.ts';
import { toWithdrawnFields } from '../../src/plan/withdrawal.ts';

interface FinishedRun {
  outcome: RunResult['outcome'];
  sums: Omit<RunContinuation, 'discovery'>;
  discovery: Discovery;
  /** Why the run started nothing new. Null if it was not stopped. */
  stopped: RunCause | null;
  /** Why the report or the manifests could not be written. Empty if they were, or were not requested. */
  unwritten: RunWarning[];
  /** Number of history events of all executions. */
  historyEvents: number;
}

export function resultOf({ run, plan }: RunInput, finishedRun: FinishedRun): RunResult {
  const { outcome, sums, discovery, stopped, unwritten, historyEvents } = finishedRun;
  const { totals, failures, requests, startedAtMs } = sums;
  const { new: fresh, changed, unchanged } = discovery;
  const warnings = [
    ...(discovery.warnings ?? []),
    ...warnOfUnlisted(discovery, plan.discovery.node),
    ...(sums.takenByOtherRuns ?? []).map(toTakenWarning),
    ...(sums.withdrawn?.warnings ?? []),
    ...unwritten,
  ];
  return {
    run,
    pipeline: plan.pipeline,
    outcome,
    assets: { ...totals, new: fresh, changed, unchanged },
    ...(stopped ? { cause: stopped } : {}),
    failures,
    ...(warnings.length > 0 ? { warnings } : {}),
    requests,
    historyEvents,
    ...toWithdrawnFields(sums.withdrawn),
    startedAtMs,
    seconds: Math.round((Date.now() - startedAtMs) / 100) / 10,
  };
}

/** Warns if discovery pages were left unlisted, because the run was stopped. */
function warnOfUnlisted({ nextDiscoveryPage, total }: Discovery, node: string): RunWarning[] {
  if (nextDiscoveryPage === undefined) return [];
  const message = `the listing was not complete when the run ended: ${formatCount(total, 'file')} so far; the next run lists all files`;
  return [{ key: node, message }];
}

function toTakenWarning({ run, assets, elsewhere }: OtherRunAssets): RunWarning {
  const subject = assets === 1 ? 'an asset is' : `${formatCount(assets, 'asset')} are`;
  const them = assets === 1 ? 'it' : 'them';
  return {
    key: run,
    message: elsewhere
      ? `${subject} held by this run of another Temporal server, which cannot be queried from here; once you are sure that it has ended: renderline run FILE --take-over 1h`
      : `${subject} left to this run, which is processing ${them} or has just delivered ${them}`,
  };
}

/** Creates the failure with which a run closes as Failed, with its result as the failure's detail. */
export function failureOf(result: RunResult): ApplicationFailure {
  const { cause, assets, failures } = result;
  const [first] = failures;
  const detail = first ? `; the first: ${first.key}: ${first.code}: ${first.message}` : '';
  return ApplicationFailure.create({
    message: cause
      ? `${cause.code}: ${cause.message}`
      : `${assets.failed} of ${formatCount(assets.total, 'asset')} failed${detail}`.slice(0, 1_000),
    type: 'RunFailed',
    nonRetryable: true,
    details: [result],
  });
}
