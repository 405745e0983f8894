// Collects the data of a run's report from Temporal and from the run's records.

import { openConnector } from '../../connectors/index.ts';
import { buildReport, noPlannedWork, readPlannedWork } from '../../features/run-report.ts';
import type { Report } from '../../report/report.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { readTimeline } from '../../temporal/runs/run-timeline.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { reportRun } from '../runs/run-report.ts';
import { formatDestinations } from '../runs/run-shape.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';

interface CollectOptions extends Pick<TemporalConnection, 'client'> {
  snapshot: RunSnapshot;
  /** Address of the run in Temporal's UI; null if not known. */
  temporalUi: string | null;
}

export async function collectRunReport({
  client,
  snapshot,
  temporalUi,
}: CollectOptions): Promise<Report> {
  const { run, memo, startedAtMs, endedAtMs } = snapshot;
  const { shape, settled, remark } = await reportRun(client, snapshot);
  const store = memo && openStoreOfRun(snapshot);
  const held = (await store?.heldPictures.all().catch(() => [])) ?? [];
  const found = await store?.manifest.discovery().catch(() => null);
  const { plan, actions, times } = await readTimeline(client, run, found?.pages ?? 0);
  // If the records cannot be read, the report has no plan but still the run's own figures.
  const planned =
    store && (await readPlannedWork(store.manifest, plan, openConnector).catch(() => null));
  const zips = (await store?.publishedZips.ofRun(run).catch(() => [])) ?? [];
  return buildReport({
    run,
    pipeline: shape.pipeline,
    again: shape.again,
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
    settled,
    held,
    requests: shape.unknown === null ? shape.requests.byOperation : null,
    paid: shape.paid,
    ...(planned ?? noPlannedWork),
    warnings: shape.warnings,
    remark,
  });
}
