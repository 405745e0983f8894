import type { Client } from '@temporalio/client';
import { openConnector } from '../../connectors/index.ts';
import { buildReportPage } from '../../features/report-page.ts';
import { buildReport, noPlannedWork, readPlannedWork } from '../../features/run-report.ts';
import { destinationsOf, destinationsOfFile } from '../../plan/run/run-memo.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { Report } from '../../report/report.ts';
import { readTimeline } from '../../temporal/runs/run-timeline.ts';
import type { App } from '../app.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readRunDetails } from '../runs/run-details.ts';
import { formatDestinations } from '../runs/run-shape.ts';
import { type RunSnapshot, readAllowedRun } from '../runs/run-snapshot.ts';
import { runPageUrl, withTemporal } from '../temporal-client.ts';

type PageOptions = Pick<Parameters<typeof buildReportPage>[1], 'link' | 'signal' | 'onProgress'>;

export interface RunReportWithPage {
  report: Report;
  /** Number of files that the run has delivered. */
  files: number;
  /** Returns where the files of a delivery are. Empty if unknown. */
  destinationsOf: (delivery: string | undefined) => readonly ConnectorSpec[];
  /** Renders the page with thumbnails of the pictures. */
  page: (options: PageOptions) => Promise<string>;
}

/** Reads the report of an open or closed run. @throws RenderlineError if the run does not exist */
export async function readRunReport(app: App, run: string): Promise<RunReportWithPage> {
  await app.usePlugins();
  const { snapshot, report, files } = await withTemporal(app, async ({ client, namespace }) => {
    const snapshot = await readAllowedRun(app, client, run);
    const temporalUi = await runPageUrl(app, namespace, run);
    return { snapshot, ...(await collectRunReport(app, client, snapshot, temporalUi)) };
  });
  const { memo } = snapshot;
  const placesOf = (delivery: string | undefined) =>
    destinationsOfFile(destinationsOf(memo), memo?.exports, delivery);
  return {
    report,
    files,
    destinationsOf: placesOf,
    page(options) {
      const store = memo && openStoreOfRun(snapshot);
      return buildReportPage(report, {
        files,
        connectorsOf: (delivery) => placesOf(delivery).map((spec) => openConnector(spec)),
        changes: store && store.pictureChanges,
        held: store && store.heldPictures,
        failed: store && store.failedImages,
        ...options,
      });
    },
  };
}

async function collectRunReport(
  app: App,
  client: Client,
  snapshot: RunSnapshot,
  temporalUi: string | null,
): Promise<Pick<RunReportWithPage, 'report' | 'files'>> {
  const { run, memo, startedAtMs, endedAtMs } = snapshot;
  const details = await readRunDetails(client, snapshot, app.now());
  const { shape, finished, remark } = details;
  const store = memo && openStoreOfRun(snapshot);
  const heldPictures = (await store?.heldPictures.all().catch(() => [])) ?? [];
  const discovery = await store?.runAssets.readDiscovery().catch(() => null);
  const pages = discovery?.pages ?? 0;
  const { plan, actions, times } = await readTimeline(client, run, pages, details.actions);
  // If the records cannot be read, the report contains no plan, but still the run's own figures.
  const plannedWork =
    store && (await readPlannedWork(store.runAssets, plan, openConnector).catch(() => null));
  const zips = (await store?.publishedZips.readByRun(run).catch(() => [])) ?? [];
  const report = buildReport({
    run,
    pipeline: shape.pipeline,
    rerun: shape.rerun,
    outcome: shape.outcome,
    cause: shape.cause,
    startedAtMs,
    endedAtMs,
    seconds: shape.seconds,
    destination: formatDestinations(shape),
    temporalUi,
    assets: shape.assets,
    exports: shape.exports,
    zips,
    withdrawn: shape.withdrawn,
    people: actions,
    times,
    file: memo?.path,
    failures: shape.failures,
    finished,
    held: heldPictures,
    requests: shape.unknown === null ? shape.requests.byOperation : null,
    paid: shape.paid,
    ...(plannedWork ?? noPlannedWork),
    warnings: shape.warnings,
    remark,
  });
  return { report, files: finished.files.length };
}
