// The plain way up, for files that need a category, are large, or were left out by a job: records by
// POST /models, each upload confirmed alone.
import type { NodeContext } from '../../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import type { Answers } from '../submit/answers.ts';
import { fillRecords } from './fill-records.ts';
import type { IngestConfig } from './ingest.ts';
import { unlessRefused } from './upload-file.ts';
import { fileTypeOf } from './upload-names.ts';

export async function uploadByModels(
  assets: StepAsset[],
  { connector, category: given }: IngestConfig,
  context: NodeContext,
): Promise<AssetResult[]> {
  const category = given === undefined ? {} : { category: given };
  return fillRecords(
    assets,
    {
      kind: 'model',
      connector,
      missing: 'MODEL_NOT_CREATED',
      itemsOf: (part) =>
        part.map(({ key, source }) => ({
          name: key,
          fileType: fileTypeOf(source.path) ?? '',
          fileSize: source.bytes,
          ...category,
        })),
      alreadyUp: (part, refs) => alreadyReady(part, refs, category, context),
      confirm: ({ key, source }, made) =>
        unlessRefused(key, async () => {
          await context.client.confirmModel(
            {
              params: { modelId: made.modelId ?? '' },
              body: { fileType: fileTypeOf(source.path) ?? '' },
            },
            { priority: 'create', scope: context.requests, signal: context.signal },
          );
          return { key, outcome: 'done', refs: { ...made, ...category } };
        }),
    },
    context,
  );
}

/** Models that an earlier attempt has made and filled are not sent again. */
async function alreadyReady(
  assets: readonly StepAsset[],
  refs: Answers,
  category: { category?: string },
  { lookout, requests }: NodeContext,
): Promise<AssetResult[]> {
  const ids = assets.flatMap(({ key }) => refs[key]?.modelId ?? []);
  const looks = await lookout.models.ask(ids, requests);
  return assets.flatMap(({ key }): AssetResult[] => {
    const modelId = refs[key]?.modelId;
    if (modelId === undefined || !looks.get(modelId)?.look?.ready) return [];
    return [{ key, outcome: 'done', refs: { ...refs[key], ...category } }];
  });
}
