// Shared by both ways into models: how far a model has come, and the confirmation of one upload.
import type { Client } from '../../api/client.ts';
import type { CleanCall } from '../../machinery/capability.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { Standing } from '../../machinery/uploads/fill-group.ts';
import { unlessRefused } from '../../machinery/uploads/upload-file.ts';
import { fileTypeOf } from '../../machinery/uploads/upload-names.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/bounded.ts';

export interface IngestConfig {
  connector: string;
  category?: string | undefined;
}

/** Standings of at most a hundred models, by id; a model that is not in the workspace is missing. */
export async function modelStandings(
  modelIds: readonly string[],
  { client, requests: scope, signal }: NodeContext,
): Promise<Map<string, Standing>> {
  if (modelIds.length === 0) return new Map();
  const options = { priority: 'create', scope, signal } as const;
  const { models } = await client.checkModelStatus({ body: { modelIds: [...modelIds] } }, options);
  // Processing begins when a file lands, before its confirmation or after it: only READY tells that all is done.
  return new Map(
    models.map(({ modelId, ready, status }) => {
      const isSpent = status === 'FAILED' || status === 'MODEL_REJECTED';
      return [modelId, { is: ready ? 'up' : isSpent ? 'spent' : 'open' }];
    }),
  );
}

export function confirmModel(
  { key, source }: StepAsset,
  made: Refs,
  context: NodeContext,
): Promise<AssetResult> {
  const { client, requests: scope, signal } = context;
  const params = { modelId: made.modelId ?? '' };
  const body = { fileType: fileTypeOf(source.path) ?? '' };
  return unlessRefused({ key, made, context }, async () => {
    await client.confirmModel({ params, body }, { priority: 'create', scope, signal });
    return { key, outcome: 'done', refs: made };
  });
}

const modelsPerRequest = 100;

/** The models that are in the workspace, of any number of them. */
export async function modelsThere(
  client: Client,
  ids: readonly string[],
  call: CleanCall,
): Promise<Set<string>> {
  const groups = Array.from({ length: Math.ceil(ids.length / modelsPerRequest) }, (_, page) =>
    ids.slice(page * modelsPerRequest, (page + 1) * modelsPerRequest),
  );
  const answers = await mapBounded(groups, (modelIds) =>
    client.checkModelStatus({ body: { modelIds } }, call),
  );
  return new Set(answers.flatMap(({ models }) => models.map(({ modelId }) => modelId)));
}
