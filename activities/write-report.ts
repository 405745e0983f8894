// The activity that writes the report of a run next to its files.
import { readPaid } from '../src/capabilities/paid-work.ts';
import { linkBetween, makePage } from '../src/capabilities/report-page.ts';
import {
  allFailures,
  plannedOf,
  reportOf,
  warningsOfAssets,
} from '../src/capabilities/run-report.ts';
import type { SettledAsset } from '../src/plan/contract.ts';
import { exportCounts } from '../src/plan/export-tally.ts';
import { placeOf } from '../src/plan/place.ts';
import type { WriteReportInput } from '../src/plan/report-contract.ts';
import { memoOf } from '../src/plan/run-memo.ts';
import type { Failure } from '../src/plan/types.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';

export async function writeReport(
  { context, destination, path, ended }: WriteReportInput,
  deps: Deps,
): Promise<void> {
  return bookkeeping(deps, async (signal) => {
    const { run, pipeline } = context;
    const store = deps.store(context);
    const { manifest, changes, held } = store;
    const settled: SettledAsset[] = [];
    for await (const asset of store.readResults(run)) settled.push(asset);
    const refused: Failure[] = [];
    for await (const page of manifest.refused()) refused.push(...page);
    const found = await manifest.discovery();
    const { plan, people, times } = await deps.workflows.story(run, found?.pages ?? 0);
    const {
      assets,
      unchanged,
      withdrawn = null,
      startedAtMs,
      endedAtMs,
      failures,
      ...same
    } = ended;
    const { total, complete, failed, skipped } = assets;
    const left = ended.outcome === 'cancelled' ? total - complete - failed - skipped : 0;
    const report = reportOf({
      ...same,
      run,
      pipeline,
      startedAtMs,
      endedAtMs,
      seconds: Math.round((endedAtMs - startedAtMs) / 100) / 10,
      destination: placeOf(destination),
      temporalUi: null,
      assets: { total, complete, failed, skipped, unchanged, cancelled: left },
      exports: exportCounts(plan ? memoOf(plan).exports : [], settled),
      withdrawn,
      people,
      times,
      file: undefined,
      failures: allFailures(settled, [...refused, ...failures]),
      settled,
      paid: await readPaid(store, settled, true),
      held: [],
      ...(await plannedOf(manifest, plan)),
      warnings: [...ended.warnings, ...warningsOfAssets(settled)],
      remark: null,
    });
    const connector = deps.connector(destination);
    const link = (file: string) => linkBetween(path, file);
    const page = await makePage(report, { connectors: [connector], changes, held, link, signal });
    await connector.write(path, Buffer.from(page));
  });
}
