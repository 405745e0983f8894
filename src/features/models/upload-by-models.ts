// Uploads files that need a category, are large, or were left out by a job: POST /models, then a confirmation each.
import type { NodeContext } from '../../engine/node-context.ts';
import { createRecordWriter } from '../../engine/uploads/record-writer.ts';
import { type UploadFiles, uploadIntoRecords } from '../../engine/uploads/upload-into-records.ts';
import { fileTypeOf } from '../../engine/uploads/upload-names.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { modelCreation } from './creations.ts';
import { modelFailures } from './failures.ts';
import { confirmModel, type IngestConfig, readModelUploadStatus } from './model-records.ts';

export async function uploadByModels(
  files: UploadFiles<StepAsset>,
  { connector, category: requestedCategory }: IngestConfig,
  context: NodeContext,
): Promise<AssetResult[]> {
  const category = requestedCategory === undefined ? {} : { category: requestedCategory };
  const writer = createRecordWriter<StepAsset, 'createModels'>(
    {
      kind: 'model',
      creation: modelCreation,
      connector,
      missingFailure: modelFailures.MODEL_NOT_CREATED,
      bodyOf: (part) => ({
        models: part.map(({ key, source }) => ({
          name: key,
          fileType: fileTypeOf(source.path) ?? '',
          fileSize: source.bytes,
          ...category,
        })),
      }),
      linksIn: ({ models, errors }) => ({
        links: new Map(models.map((link) => [link.modelId, link])),
        errors,
      }),
      readUploadStatuses: (ids) => readModelUploadStatus(ids, context),
      confirm: (asset, createdIds) => confirmModel(asset, createdIds, context),
    },
    context,
  );
  const results = await uploadIntoRecords(files, writer, context);
  return results.map((result) =>
    result.outcome === 'done'
      ? { ...result, platformIds: { ...result.platformIds, ...category } }
      : result,
  );
}
