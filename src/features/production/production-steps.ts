// Steps that an `export` of production files adds before the delivery.
import { z } from 'zod';
import { ProductionOptions } from '../../api/operations/production.ts';
import { defineStep, type StepType } from '../../engine/node-type.ts';
import { defineWait } from '../../engine/wait-results.ts';
import { failMissing } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { exportSheets, maxVariants, sheetFailure } from './export-sheets.ts';
import { type ExportPollResult, exportStatusPoller } from './export-status-poller.ts';
import { productionFailures } from './failures.ts';

export const productionExport = defineStep({
  type: 'production_export',
  config: z.strictObject({ production: z.strictObject(ProductionOptions.shape).optional() }),
  mode: 'call',
  stage: 'sheet',
  submits: true,
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  route: () => 'creates one production file per asset; a capture costs as much as an image render',
  cost: {
    // Each variant costs a capture.
    draws: maxVariants,
    requests: ({ assets, has }) => ({
      exportProductionFile: assets,
      ...(has('variant') || has('colorway_variant') ? {} : { listModelVariants: assets }),
    }),
  },
  run: exportSheets,
});

const pollsPerCapture = 6;

const awaitExports = defineWait((context) => ({
  poller: exportStatusPoller(context.pollerContext),
  itemOf: ({ platformIds }) =>
    platformIds.sheet?.fileId === undefined ? (platformIds.sheet?.exportId ?? null) : null,
  resultOf: toResult,
  timeout: {
    failure: productionFailures.PRODUCTION_TIMEOUT,
    what: 'its production file was not ready',
  },
  canEndAtOnce: true,
}));

export const productionComplete = defineStep({
  type: 'production_complete',
  config: z.strictObject({}),
  mode: 'wait',
  stage: 'sheet',
  waitsFor: 'the platform to create production files',
  profile: { batch: 250, startToClose: '2m', timeout: '6h' },
  route: () => 'polls each export that is capturing, less often the more there are',
  cost: {
    seconds: 120,
    // An export costs a few polls while it captures, and one request for the link of its file.
    requests: ({ assets }) => ({
      getProductionFileExport: pollsPerCapture * assets,
      listProductionFiles: assets,
    }),
  },
  run: awaitExports,
});

export const productionSteps: readonly StepType[] = [productionExport, productionComplete];

function toResult(
  { key, platformIds }: StepAsset,
  pollResult: ExportPollResult | undefined,
): AssetResult | null {
  if (platformIds.sheet?.fileId !== undefined) return { key, outcome: 'done' };
  const exportId = platformIds.sheet?.exportId;
  if (pollResult === null || exportId === undefined) {
    const exportLabel = `production file export ${exportId ?? '(none)'}`;
    return failMissing(productionFailures.PRODUCTION_EXPORT_NOT_FOUND, key, exportLabel, ['sheet']);
  }
  const { sheet } = pollResult ?? {};
  if (sheet?.failure !== undefined) return sheetFailure(key, sheet);
  return sheet?.fileId === undefined ? null : { key, outcome: 'done', platformIds: { sheet } };
}
