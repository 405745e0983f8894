// Reads the upload status of models and confirms single uploads, for both kinds of model upload.

import type { Client } from '../../api/client.ts';
import type { CleanCall } from '../../engine/feature.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import type { UploadStatus } from '../../engine/uploads/record-group.ts';
import { failOnRefusal } from '../../engine/uploads/upload-file.ts';
import { findFileType } from '../../engine/uploads/upload-names.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';

export interface IngestConfig {
  connector: string;
  category?: string | undefined;
}

/** Reads the upload statuses of at most 100 models, by id. Models that are not in the workspace are omitted. */
export async function readModelUploadStatus(
  modelIds: readonly string[],
  context: NodeContext,
): Promise<Map<string, UploadStatus>> {
  if (modelIds.length === 0) return new Map();
  const body = { modelIds: [...modelIds] };
  const { models } = await context.client.checkModelStatus({ body }, callOptions(context));
  // Processing may start before the confirmation, so only `ready` proves that no step is left.
  return new Map(
    models.map(({ modelId, ready, status }) => {
      const isUnusable = status === 'FAILED' || status === 'MODEL_REJECTED';
      return [modelId, { state: ready ? 'uploaded' : isUnusable ? 'unusable' : 'open' }];
    }),
  );
}

export function confirmModel(
  { key, source }: StepAsset,
  createdIds: PlatformIds,
  context: NodeContext,
): Promise<AssetResult> {
  const params = { modelId: createdIds.modelId ?? '' };
  const body = { fileType: findFileType(source.path) ?? '' };
  return failOnRefusal({ key, platformIds: createdIds, context }, async () => {
    await context.client.confirmModel({ params, body }, callOptions(context));
    return { key, outcome: 'done', platformIds: createdIds };
  });
}

const modelsPerRequest = 100;

/** Returns the ids of those models that are in the workspace. */
export async function readExistingModels(
  client: Client,
  ids: readonly string[],
  call: CleanCall,
): Promise<Set<string>> {
  const responses = await mapBounded(chunks(ids, modelsPerRequest), (modelIds) =>
    client.checkModelStatus({ body: { modelIds } }, call),
  );
  return new Set(responses.flatMap(({ models }) => models.map(({ modelId }) => modelId)));
}
