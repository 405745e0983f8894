// Reads the report of a run and renders its page, for `renderline report` and `renderline ui`.
import { makePage } from '../../capabilities/report-page.ts';
import { openConnector } from '../../connectors/index.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { Report } from '../../report/report.ts';
import type { TemporalConnection } from '../../temporal/connect.ts';
import { readRunInside } from '../runs/run-inside.ts';
import { storeOfRun } from '../runs/run-store-of.ts';
import type { Session } from '../session.ts';
import { runPage } from '../temporal-session.ts';
import { collectReport } from './collect.ts';

type Asked = Pick<Parameters<typeof makePage>[1], 'link' | 'signal' | 'onProgress'>;

export interface RunReport {
  report: Report;
  /** Destination of the run's files; null if not known. */
  destination: ConnectorSpec | null;
  /** Renders the page, with thumbnails of the pictures. */
  page: (asked: Asked) => Promise<string>;
}

/** Reads the report of a run, open or closed. */
export async function readRunReport(
  session: Session,
  { client, namespace }: TemporalConnection,
  run: string,
): Promise<RunReport> {
  const snapshot = await readRunInside(session.io, client, run);
  const temporalUi = await runPage(session, namespace, run);
  const report = await collectReport({ client, snapshot, temporalUi });
  const destination = snapshot.memo?.destination ?? null;
  return {
    report,
    destination,
    page(asked) {
      const store = snapshot.memo && storeOfRun(snapshot);
      return makePage(report, {
        connectors: destination
          ? [destination, ...(snapshot.memo?.alsoTo ?? [])].map((spec) => openConnector(spec))
          : [],
        changes: store && store.changes,
        held: store && store.held,
        ...asked,
      });
    },
  };
}
