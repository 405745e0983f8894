// Reports of waits that no workflow has received, so that the requests in them are reported again. A workflow ignores
// the result of a wait that it has interrupted, and then waits again for the same assets.
import type { RequestCounter } from '../../src/api/request-counter.ts';
import { memoizeByObject } from '../../src/plan/helpers/memoize.ts';
import type { StepInput, StepReport } from '../../src/plan/shard/step-contract.ts';

interface WaitReport {
  /** A finished asset of the report, and when it became ready for the step. */
  assetIndex: number;
  enteredAtMs: number;
  requests: Readonly<Record<string, number>>;
}

/** A shard has at most this number of open waits per step. */
const maxReports = 4;

/** The latest reports of a run's waits on this worker, by shard and step. */
const reportsOf = memoizeByObject((_requests: RequestCounter) => new Map<string, WaitReport[]>());

/** Remembers the report of a wait. */
export function rememberReport(
  { shard, step, assets, wait }: StepInput,
  { done: [assetIndex] }: Pick<StepReport, 'done'>,
  counter: RequestCounter,
  requests: WaitReport['requests'],
): void {
  const enteredAtMs = wait?.enteredAtMs[assets.indexOf(assetIndex ?? -1)];
  if (assetIndex === undefined || enteredAtMs === undefined) return;
  const reports = reportsOf(counter);
  const name = `${shard} ${step.id}`;
  const earlierReports = reports.get(name)?.slice(1 - maxReports) ?? [];
  reports.set(name, [...earlierReports, { assetIndex, enteredAtMs, requests }]);
}

/** Counts the requests of dropped reports again. A wait for an asset that a report calls finished shows the loss. */
export function recountDropped(
  { shard, step, assets, wait }: StepInput,
  counter: RequestCounter,
): void {
  const reports = reportsOf(counter);
  const name = `${shard} ${step.id}`;
  const received = (reports.get(name) ?? []).filter(({ assetIndex, enteredAtMs, requests }) => {
    const isDropped = wait?.enteredAtMs[assets.indexOf(assetIndex)] === enteredAtMs;
    if (isDropped) counter.addCounts(requests);
    return !isDropped;
  });
  if (received.length > 0) reports.set(name, received);
  else reports.delete(name);
}
