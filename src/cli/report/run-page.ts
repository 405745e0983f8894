// The report of a run, and its page: for `renderline report` and for the page of `renderline ui`.
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
  /** Where its files are; null where nobody can tell. */
  destination: ConnectorSpec | null;
  /** Its page, with small copies of the pictures. */
  page: (asked: Asked) => Promise<string>;
}

/** Reads what a run has made, also of one that goes on. */
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
