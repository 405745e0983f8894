// Reads the report of a run and renders its page, for `renderline report` and `renderline ui`.

import { openConnector } from '../../connectors/index.ts';
import { buildReportPage } from '../../features/report-page.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { Report } from '../../report/report.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import type { App } from '../app.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readAllowedRun } from '../runs/run-snapshot.ts';
import { runPageUrl } from '../temporal-client.ts';
import { collectRunReport } from './collect-run-report.ts';

type PageOptions = Pick<Parameters<typeof buildReportPage>[1], 'link' | 'signal' | 'onProgress'>;

export interface RunReportWithPage {
  report: Report;
  /** Destination of the run's files; null if not known. */
  destination: ConnectorSpec | null;
  /** Renders the page, with thumbnails of the pictures. */
  page: (asked: PageOptions) => Promise<string>;
}

/** Reads the report of a run, open or closed. */
export async function readRunReport(
  app: App,
  { client, namespace }: TemporalConnection,
  run: string,
): Promise<RunReportWithPage> {
  const snapshot = await readAllowedRun(app, client, run);
  const temporalUi = await runPageUrl(app, namespace, run);
  const report = await collectRunReport({ client, snapshot, temporalUi });
  const destination = snapshot.memo?.destination ?? null;
  return {
    report,
    destination,
    page(asked) {
      const store = snapshot.memo && openStoreOfRun(snapshot);
      return buildReportPage(report, {
        connectors: destination
          ? [destination, ...(snapshot.memo?.extraDestinations ?? [])].map((spec) =>
              openConnector(spec),
            )
          : [],
        changes: store && store.pictureChanges,
        held: store && store.heldPictures,
        ...asked,
      });
    },
  };
}
