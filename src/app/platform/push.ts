// Creates or replaces a platform pipeline. Node ids can be set only by an update, so a new pipeline is created, read
// and then updated.
import type { Client } from '../../api/client.ts';
import type { PlatformShape } from '../../compile/platform-shape.ts';
import { findPipeline, requirePipeline } from './pipelines.ts';

export interface PushOptions {
  /** Id or name of the pipeline to replace. If undefined, the pipeline with the file's `name:`, or a new one. */
  target: string | undefined;
  /** Leave the pipeline PAUSED. */
  paused: boolean;
}

/** Creates a pipeline on the platform with four requests, or replaces one with three to five. */
export async function pushPipeline(
  client: Client,
  shape: PlatformShape,
  { target, paused }: PushOptions,
): Promise<{ id: string; created: boolean; status: string }> {
  const { name, batchSize, maxRetries } = shape;
  const existingPipeline = await findReplaced(client, name, target);
  const id = existingPipeline?.id ?? (await createPipeline(client, shape));
  const ids = await ensureNodeIds(client, id, shape);
  const { status = 'UNKNOWN' } = await client.updatePipeline({
    params: { pipelineId: id },
    body: {
      name,
      batchSize,
      maxRetries,
      nodes: addNodeIds(shape, ids),
      ...(paused ? { status: 'PAUSED' } : {}),
    },
  });
  return { id, created: existingPipeline === null, status };
}

/** Finds the pipeline that a push would replace. Changes nothing. */
export async function previewPush(
  client: Client,
  { name }: PlatformShape,
  { target }: PushOptions,
): Promise<{ id: string | null; created: boolean; status: string | null }> {
  const existingPipeline = await findReplaced(client, name, target);
  const { id = null, status = null } = existingPipeline ?? {};
  return { id, created: existingPipeline === null, status };
}

function findReplaced(client: Client, name: string, target: string | undefined) {
  return target === undefined ? findPipeline(client, name) : requirePipeline(client, target);
}

async function createPipeline(client: Client, shape: PlatformShape): Promise<string> {
  const { name, batchSize, maxRetries } = shape;
  const nodes = removeNodeIds(shape);
  return (await client.createPipeline({ body: { name, batchSize, maxRetries, nodes } })).id;
}

/** Returns the platform's node ids in the file's order. If the node types differ, replaces the nodes first. */
async function ensureNodeIds(client: Client, id: string, shape: PlatformShape): Promise<string[]> {
  const params = { pipelineId: id };
  const pipeline = await client.getPipeline({ params });
  const hasSameNodes =
    pipeline.nodes.length === shape.nodes.length &&
    pipeline.nodes.every(({ type }, index) => type === shape.nodes[index]?.type);
  if (hasSameNodes) return pipeline.nodes.map((node) => node.id);
  await client.updatePipeline({ params, body: { nodes: removeNodeIds(shape) } });
  return (await client.getPipeline({ params })).nodes.map((node) => node.id);
}

function removeNodeIds({ nodes }: PlatformShape) {
  return nodes.map(({ type, enabled, config }) => ({ type, enabled, config }));
}

function addNodeIds({ nodes }: PlatformShape, ids: readonly string[]) {
  const platformIdByFileId = new Map(nodes.map(({ id }, index) => [id, ids[index] ?? id]));
  return nodes.map(({ id, type, enabled, config, parentIds }) => ({
    id: platformIdByFileId.get(id) ?? id,
    type,
    enabled,
    config,
    parentIds: parentIds.map((parent) => platformIdByFileId.get(parent) ?? parent),
  }));
}
