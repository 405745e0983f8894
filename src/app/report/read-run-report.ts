// Reads the report of a run and renders its page.

import { openConnector } from '../../connectors/index.ts';
import { buildReportPage } from '../../features/report-page.ts';
import { destinationsOf, destinationsOfFile } from '../../plan/run/run-memo.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { Report } from '../../report/report.ts';
import type { App } from '../app.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readAllowedRun } from '../runs/run-snapshot.ts';
import { runPageUrl, withTemporal } from '../temporal-client.ts';
import { collectRunReport } from './collect-run-report.ts';

type PageOptions = Pick<Parameters<typeof buildReportPage>[1], 'link' | 'signal' | 'onProgress'>;

export interface RunReportWithPage {
  report: Report;
  /** Where files of a delivery are; empty if not known. */
  destinationsOf: (delivery: string | undefined) => readonly ConnectorSpec[];
  /** Renders the page, with thumbnails of the pictures. */
  page: (options: PageOptions) => Promise<string>;
}

/** Reads the report of a run, open or closed. @throws RenderlineError if the run does not exist */
export async function readRunReport(app: App, run: string): Promise<RunReportWithPage> {
  await app.usePlugins();
  const { snapshot, report } = await withTemporal(app, async ({ client, namespace }) => {
    const snapshot = await readAllowedRun(app, client, run);
    const temporalUi = await runPageUrl(app, namespace, run);
    return { snapshot, report: await collectRunReport({ client, snapshot, temporalUi }) };
  });
  const { memo } = snapshot;
  const placesOf = (delivery: string | undefined) =>
    destinationsOfFile(destinationsOf(memo), memo?.exports, delivery);
  return {
    report,
    destinationsOf: placesOf,
    page(options) {
      const store = memo && openStoreOfRun(snapshot);
      return buildReportPage(report, {
        connectorsOf: (delivery) => placesOf(delivery).map((spec) => openConnector(spec)),
        changes: store && store.pictureChanges,
        held: store && store.heldPictures,
        failed: store && store.failedImages,
        ...options,
      });
    },
  };
}
