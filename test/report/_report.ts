// Reports for tests.
import { FinishedAssets } from '../../src/features/results/finished-assets.ts';
import { mapDimensions } from '../../src/language/dimension-names.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { Report, ReportedOutput } from '../../src/report/report.ts';
import { ListedResults } from '../../src/store/runs/results.ts';

export function output(fields: Partial<ReportedOutput> = {}): ReportedOutput {
  return {
    key: 'shoe',
    model: 'shoe',
    ...mapDimensions(() => null),
    outcome: 'complete',
    path: 'shoe.png',
    waitsFor: null,
    bytes: 1_000,
    sha256: 'ab',
    width: 64,
    height: 36,
    change: null,
    startStage: null,
    failure: null,
    decision: null,
    ...fields,
  };
}

export function report(fields: Partial<Report> = {}): Report {
  return {
    schema: 'renderline/report/v1',
    run: 'catalog-20260101-000000-abcd',
    pipeline: 'catalog',
    rerun: null,
    outcome: 'complete',
    cause: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:01:00.000Z',
    seconds: 60,
    destination: '/pictures',
    temporalUi: null,
    assets: { total: 1, complete: 1, failed: 0, skipped: 0, unchanged: 0, cancelled: 0 },
    withdrawn: null,
    people: [],
    decisions: [],
    startPoints: [],
    exports: [],
    zips: [],
    failures: [],
    times: null,
    requests: { total: 0, planned: null, byOperation: [] },
    paid: null,
    outputs: [],
    warnings: [],
    remark: null,
    ...fields,
  };
}

/** The results of a run, which are in one shard. */
export async function finishedAssets(assets: readonly FinalizedAsset[]): Promise<FinishedAssets> {
  const shard = new Map(assets.map((asset) => [asset.key, asset]));
  const finished = new FinishedAssets([]);
  await finished.read(new ListedResults(new Map([[0, ['part']]]), async () => shard));
  return finished;
}
