// Reads the production file of an asset, or the export that creates it, to check whether it exists.
import type { Read } from '../../engine/feature.ts';

/** Returns null if the model's list does not contain the file. */
export const readSheet: Read = async (client, { modelId = '', sheet }, options) => {
  const { fileId, exportId = '' } = sheet ?? {};
  if (fileId === undefined) {
    return client.getProductionFileExport({ params: { exportId } }, options);
  }
  const { productionFiles } = await client.listProductionFiles({ params: { modelId } }, options);
  return productionFiles.find(({ id }) => id === fileId) ?? null;
};
