// Withdraws the products whose source, row or cell the discovery of the run found missing.
import { ModelCells } from '../../src/features/delivery/withdrawal/shared-files.ts';
import {
  type WithdrawnAsset,
  withdrawAsset,
} from '../../src/features/delivery/withdrawal/withdraw-asset.ts';
import { createConnectorResolver, findRootFiles } from '../../src/features/discovery-source.ts';
import type { WithdrawInput, WithdrawResult } from '../../src/plan/contract/withdraw-contract.ts';
import { takeFitting } from '../../src/plan/helpers/bytes.ts';
import { groupBy } from '../../src/plan/helpers/group-by.ts';
import { mapBounded } from '../../src/store/objects/map-bounded.ts';
import { modelPartOf } from '../../src/store/objects/object-name.ts';
import type { Deps } from '../deps.ts';
import { runEngineActivity } from '../run-engine-activity.ts';

const maxConcurrent = 8;
const maxReportedWarnings = { count: 20, bytes: 8_000 };

export async function withdraw(
  { context, discovery, rules, takeOverMs }: WithdrawInput,
  deps: Deps,
): Promise<WithdrawResult> {
  const store = deps.storeOf(context);
  const getConnector = createConnectorResolver(context, deps.connectorOf);
  const files = findRootFiles(discovery);
  if (files === null) throw new TypeError('only assets whose sources are files can be withdrawn');
  const source = { connector: getConnector(files.connector) };
  let processed = 0;
  return runEngineActivity(
    deps,
    async (signal, assertLease) => {
      const isAlive = deps.workflows.isAlive.bind(deps.workflows);
      const withdrawContext = {
        store,
        rules,
        getConnector,
        source,
        isAlive,
        takeOverMs: takeOverMs ?? null,
        signal,
        assertLease,
      };
      // Cells of one model are withdrawn one after the other, because they share files.
      const models = [...groupBy(await store.withdrawals.read(), modelPartOf).values()];
      const assetsByModel = await mapBounded(
        models,
        async (names) => {
          const assets: WithdrawnAsset[] = [];
          const modelContext = { ...withdrawContext, cells: new ModelCells() };
          for (const name of names) {
            assets.push(await withdrawAsset(name, modelContext));
            processed += 1;
          }
          return assets;
        },
        { maxConcurrent, signal },
      );
      const withdrawnAssets = assetsByModel.flat();
      const warnings = withdrawnAssets.flatMap(({ key, warnings: messages }) =>
        messages.map((message) => ({ key, message })),
      );
      const sum = (outcome: 'archived' | 'deleted') =>
        withdrawnAssets.reduce((total, asset) => total + asset[outcome], 0);
      return {
        assets: withdrawnAssets.filter(({ isWithdrawn }) => isWithdrawn).length,
        archived: sum('archived'),
        deleted: sum('deleted'),
        ...(warnings.length > 0 ? { warnings: takeFitting(warnings, maxReportedWarnings) } : {}),
      };
    },
    () => ({ withdrawn: processed }),
  );
}
