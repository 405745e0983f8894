// Reads whether the production file of an asset, or the export that makes it, is on the platform.
import type { Read } from '../../machinery/capability.ts';

/** Null where the list of the model does not have the file. */
export const readSheet: Read = async (client, { modelId = '', sheet }, options) => {
  const { fileId, exportId = '' } = sheet ?? {};
  if (fileId === undefined) {
    return client.getProductionFileExport({ params: { exportId } }, options);
  }
  const { productionFiles } = await client.listProductionFiles({ params: { modelId } }, options);
  return productionFiles.find(({ id }) => id === fileId) ?? null;
};
