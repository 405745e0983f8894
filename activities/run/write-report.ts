// The activity that writes the report of a run next to its files.
import { readPaidWork } from '../../src/features/paid-work.ts';
import { buildReportPage, linkBetween } from '../../src/features/report-page.ts';
import { FinishedAssets } from '../../src/features/results/finished-assets.ts';
import { buildReport, explainAllFailures, readPlannedWork } from '../../src/features/run-report.ts';
import type { WriteReportInput } from '../../src/plan/contract/report-contract.ts';
import { locationOf } from '../../src/plan/run/location.ts';
import { destinationsOfFile, runMemoOf } from '../../src/plan/run/run-memo.ts';
import type { Failure } from '../../src/plan/types.ts';
import type { Deps } from '../deps.ts';
import { runEngineActivity } from '../run-engine-activity.ts';

export async function writeReport(
  { context, destination, path, finishedRun }: WriteReportInput,
  deps: Deps,
): Promise<void> {
  return runEngineActivity(deps, async (signal) => {
    const { run, pipeline } = context;
    const store = deps.storeOf(context);
    const { runAssets, pictureChanges, heldPictures, failedImages } = store;
    const refusals: Failure[] = [];
    for await (const page of runAssets.refused()) refusals.push(...page);
    const discovery = await runAssets.readDiscovery();
    const { plan, actions, times } = await deps.workflows.readTimeline(run, discovery?.pages ?? 0);
    const {
      assets,
      unchanged,
      withdrawn = null,
      startedAtMs,
      endedAtMs,
      failures,
      rerun,
      ...sharedFields
    } = finishedRun;
    const { total, complete, failed, skipped } = assets;
    const cancelledCount =
      finishedRun.outcome === 'cancelled' ? total - complete - failed - skipped : 0;
    const exports = plan ? runMemoOf(plan).exports : [];
    const finished = new FinishedAssets(exports);
    await finished.read(await store.results.list(run));
    const report = buildReport({
      ...sharedFields,
      rerun,
      run,
      pipeline,
      startedAtMs,
      endedAtMs,
      seconds: Math.round((endedAtMs - startedAtMs) / 100) / 10,
      destination: locationOf(destination),
      temporalUi: null,
      assets: { total, complete, failed, skipped, unchanged, cancelled: cancelledCount },
      exports: finished.exports.counts,
      zips: await store.publishedZips.readByRun(run),
      withdrawn,
      people: actions,
      times,
      file: undefined,
      failures: explainAllFailures(finished.failures, [...refusals, ...failures]),
      finished,
      paid: await readPaidWork(store, finished.unrenderedKeys, true),
      held: await heldPictures.all(),
      ...(await readPlannedWork(runAssets, plan, deps.connectorOf)),
      warnings: [...finishedRun.warnings, ...finished.warnings],
      remark: null,
    });
    const connector = deps.connectorOf(destination);
    // The report contains no links to files at other destinations, and no thumbnails of them.
    const isHere = (delivery: string | undefined) =>
      destinationsOfFile([destination], exports, delivery).some(
        (fileDestination) => locationOf(fileDestination) === locationOf(destination),
      );
    const link = (file: string, delivery: string | undefined) =>
      isHere(delivery) ? linkBetween(path, file) : null;
    const page = await buildReportPage(report, {
      files: finished.files.length,
      connectorsOf: (delivery) => (isHere(delivery) ? [connector] : []),
      changes: pictureChanges,
      held: heldPictures,
      failed: failedImages,
      link,
      signal,
    });
    await connector.write(path, Buffer.from(page));
  });
}
