// Steps that an `export` of production files adds before the delivery.
import { z } from 'zod';
import { ProductionOptions } from '../../api/operations/production.ts';
import { defineStep, type StepType } from '../../engine/node-type.ts';
import { awaitExports } from './await-exports.ts';
import { exportSheets, maxVariants } from './export-sheets.ts';

export const productionExport = defineStep({
  type: 'production_export',
  config: z.strictObject({ production: z.strictObject(ProductionOptions.shape).optional() }),
  mode: 'call',
  stage: 'sheet',
  submits: true,
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  route: () => 'creates one production file per asset; a capture costs as much as an image render',
  cost: {
    // Each variant is a capture.
    draws: maxVariants,
    requests: ({ assets, has }) => ({
      exportProductionFile: assets,
      ...(has('variant') || has('colorway_variant') ? {} : { listModelVariants: assets }),
    }),
  },
  run: exportSheets,
});

const pollsPerCapture = 6;

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
    // Some polls per export while it captures, and one request for the link of its file.
    requests: ({ assets }) => ({
      getProductionFileExport: pollsPerCapture * assets,
      listProductionFiles: assets,
    }),
  },
  run: awaitExports,
});

export const productionSteps: readonly StepType[] = [productionExport, productionComplete];
