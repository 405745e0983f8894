import { openConnector } from '../../connectors/index.ts';
import { predictPaths } from '../../features/delivery/file-names.ts';
import { planMoves } from '../../features/delivery/withdrawal/file-moves.ts';
import { findOtherCells } from '../../features/delivery/withdrawal/shared-files.ts';
import { createConnectorResolver } from '../../features/discovery-source.ts';
import type { RunWarning } from '../../plan/contract/contract.ts';
import { memoize } from '../../plan/helpers/memoize.ts';
import { deliveriesOf } from '../../plan/run/deliveries.ts';
import type { Plan } from '../../plan/types.ts';
import type { WithdrawnCounts } from '../../plan/withdrawal.ts';
import type { MissingSource } from '../../store/discovery/moves/missing-sources.ts';
import { mayHaveName, PlannedPaths } from '../../store/discovery/planned-paths.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { App } from '../app.ts';
import type { Preview } from './preview-assets.ts';

const maxFilesShown = 100;
const maxWarningsShown = 100;

export interface WithdrawalReport extends WithdrawnCounts {
  /** The first 100 files. `to` is null for a file that is deleted. */
  files: { key: string; path: string; to: string | null }[];
  /** The first 100 reasons why files of withdrawn assets are kept, or why nothing is withdrawn. */
  warnings: RunWarning[];
}

/**
 * Lists the files that the run would archive or delete, without those that new assets replace. Returns null if the
 * pipeline withdraws nothing.
 */
export async function previewWithdrawal(
  app: App,
  plan: Plan,
  { missingSources, assets, store }: Pick<Preview, 'missingSources' | 'assets' | 'store'>,
): Promise<WithdrawalReport | null> {
  const { withdrawn: rules } = plan;
  if (rules === undefined) return null;
  const getConnector = createConnectorResolver(plan, openConnector);
  const signal = app.signal;
  const deliveries = deliveriesOf(plan.steps);
  const names = new PlannedPaths((asset) => predictPaths(deliveries, plan.connectors, asset));
  if (missingSources.records.length > 0) for (const asset of assets) names.take(asset);
  const order = new Map(missingSources.records.map(({ record: { key } }, index) => [key, index]));
  // Nothing changes during a preview, so the records of a model are read once for all its cells.
  const records = { cellsOf: memoize((model) => store.records.cellsOf(model)) };
  const readMoves = async ({ record }: MissingSource, index: number) => {
    // The run withdraws assets in this order. A model's shared files are withdrawn together with its last cell.
    const cells = (await findOtherCells(record, { records })).filter(
      ({ key }) => (order.get(key) ?? Infinity) > index,
    );
    const context = { rules, store, getConnector, signal };
    const { moves, warnings } = await planMoves(record, cells, context);
    const { key } = record;
    const replaced = names.findTaken(record);
    const remaining = moves.filter(
      ({ file }) => !replaced.some(({ path }) => mayHaveName(file, path)),
    );
    return {
      moves: remaining.map(({ file, to }) => ({ key, path: file.path, to })),
      warnings: warnings.map((message) => ({ key, message })),
    };
  };
  const bounds = { maxConcurrent: 8, signal };
  const withdrawals = await mapBounded(missingSources.records, readMoves, bounds);
  const moves = withdrawals.flatMap((asset) => asset.moves);
  const warnings = withdrawals.flatMap((asset) => asset.warnings);
  const archived = moves.filter(({ to }) => to !== null).length;
  return {
    assets: withdrawals.length,
    archived,
    deleted: moves.length - archived,
    files: moves.slice(0, maxFilesShown),
    warnings: [...missingSources.warnings, ...warnings].slice(0, maxWarningsShown),
  };
}
