// Paths of operations: from the contract, or chosen by the sandbox for operations without a path.
import type { Route } from 'renderline/api/contract/operation';
import { type OperationId, type Operations, operations } from 'renderline/api/operations/index';

/** Not served, since its path is undocumented. Tests use `POST /_sandbox/projects/:id/variants` instead. */
const notServed = 'addVariantsToProject';

export type ServedId = Exclude<OperationId, typeof notServed>;

type UnroutedId = {
  [Id in ServedId]: Operations[Id]['route'] extends null ? Id : never;
}[ServedId];

export const servedIds = (Object.keys(operations) as OperationId[]).filter(
  (id): id is ServedId => id !== notServed,
);

/** Undocumented paths, chosen by the sandbox and published in openapi.json. */
const sandboxRoutes = {
  getTemplate: 'GET /templates/{templateId}',
  getWebhook: 'GET /webhooks',
  getWebhookSecret: 'GET /webhooks/secret',
  listWebhookEvents: 'GET /webhooks/events',
  createPipeline: 'POST /pipelines',
  listPipelines: 'GET /pipelines',
  listConnectors: 'GET /pipelines/connectors',
  getPipeline: 'GET /pipelines/{pipelineId}',
  updatePipeline: 'PATCH /pipelines/{pipelineId}',
  listPipelineJobs: 'GET /pipelines/{pipelineId}/jobs',
  createColorwayBatch: 'POST /colorway-batches',
  getColorwayBatch: 'GET /colorway-batches/{batchId}',
  retryColorwayJob: 'POST /colorway-batches/{batchId}/jobs/{jobId}/retry',
} as const satisfies Record<UnroutedId, Route>;

/** Returns the route of an operation on the sandbox. */
export function routeOf(id: ServedId): Route {
  const { route } = operations[id];
  if (route !== null) return route;
  return sandboxRoutes[id as UnroutedId];
}
