import { defineFeature, type Read } from '../../engine/feature.ts';
import { productionFailures } from './failures.ts';
import { productionIdRules } from './platform-ids.ts';
import { productionSteps } from './production-steps.ts';

/** Reads the file, or the export while no file is known. Returns null if the model's list does not contain the file. */
const readSheet: Read = async (client, { modelId = '', sheet }, options) => {
  const { fileId, exportId = '' } = sheet ?? {};
  if (fileId === undefined) {
    return client.getProductionFileExport({ params: { exportId } }, options);
  }
  const { productionFiles } = await client.listProductionFiles({ params: { modelId } }, options);
  return productionFiles.find(({ id }) => id === fileId) ?? null;
};

/** Creates production files (PDF) from captures of models. */
export const production = defineFeature({
  name: 'production',
  nodes: [],
  steps: productionSteps,
  existenceChecks: [['sheet', readSheet, ['sheet']]],
  idRules: productionIdRules,
  failures: [productionFailures],
});
