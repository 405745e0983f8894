import { renderJobStatuses } from 'renderline/api/operations/renders';
import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { fail } from '../http/failure.ts';
import { createGraph } from '../pipelines/create-graph.ts';
import { jobsOf } from '../pipelines/runner.ts';
import type { PipelineJobRecord, PipelineRecord } from '../state/pipeline-records.ts';
import { listNewestFirst } from '../state/table.ts';
import { computePipelineJobStatus } from '../status/pipeline-jobs.ts';

const defaults = { batchSize: 10, maxRetries: 3 };

/** @throws ApiFailure PLAN_LIMIT_REACHED, since pipelines are part of the Enterprise plan */
function assertPlanHasPipelines({ limits }: Sandbox): void {
  const { tier } = limits.values;
  if (tier !== 'enterprise')
    fail(
      'PLAN_LIMIT_REACHED',
      `Pipelines need the enterprise plan; the plan of this workspace is ${tier}.`,
    );
}

function pipelineOf(sandbox: Sandbox, params: Record<string, string>): PipelineRecord {
  assertPlanHasPipelines(sandbox);
  const id = params['pipelineId'] ?? '';
  return sandbox.store.pipelines.get(id) ?? fail('NOT_FOUND', `The pipeline ${id} does not exist.`);
}

function listItem(pipeline: PipelineRecord) {
  const { id, name, status, nodes, consecutiveFailures, createdAt } = pipeline;
  return {
    id,
    name,
    status,
    nodes: nodes.map(({ type, enabled }) => ({ type, enabled })),
    consecutiveFailures,
    createdAt: new Date(createdAt).toISOString(),
  };
}

function toJobItem(sandbox: Sandbox, job: PipelineJobRecord, nowMs: number) {
  const { id, sourceFile, modelId, projectId, renderOutputs, retryCount, lastError } = job;
  return {
    id,
    status: computePipelineJobStatus(sandbox.store, job, nowMs),
    sourceFile,
    glossiModelId: modelId ?? null,
    glossiProjectId: projectId ?? null,
    renderOutputs,
    retryCount,
    lastError: lastError ?? null,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
  };
}

/** Counts the jobs by render job status, including zeros. */
function countJobs(sandbox: Sandbox, pipeline: PipelineRecord, nowMs: number) {
  const stats = new Map<string, number>(renderJobStatuses.map((status) => [status, 0]));
  for (const job of jobsOf(sandbox, pipeline)) {
    const status = computePipelineJobStatus(sandbox.store, job, nowMs);
    stats.set(status, (stats.get(status) ?? 0) + 1);
  }
  return Object.fromEntries(stats);
}

export const pipelines = {
  createPipeline: ({ body, nowMs }, sandbox) => {
    assertPlanHasPipelines(sandbox);
    const { store } = sandbox;
    const { name, batchSize = defaults.batchSize, maxRetries = defaults.maxRetries } = body;
    const { id, status, nodes } = store.pipelines.insert({
      id: store.newId('pipeline'),
      name,
      status: 'ACTIVE',
      nodes: createGraph(body.nodes, () => store.newId('node')),
      batchSize,
      maxRetries,
      consecutiveFailures: 0,
      createdAt: nowMs,
      updatedAt: nowMs,
    });
    const nodeItems = nodes.map(({ type, enabled }) => ({ type, enabled }));
    return { id, name, status, nodes: nodeItems, batchSize, maxRetries };
  },

  listPipelines: async (_request, sandbox) => {
    assertPlanHasPipelines(sandbox);
    await sandbox.advancePipelines();
    return { pipelines: sandbox.store.pipelines.all.map(listItem) };
  },

  listConnectors: (_request, sandbox) => {
    assertPlanHasPipelines(sandbox);
    return { connectors: Object.keys(sandbox.options.connectors) };
  },

  getPipeline: async ({ params, nowMs }, sandbox) => {
    const pipeline = pipelineOf(sandbox, params);
    await sandbox.advancePipelines();
    return {
      ...listItem(pipeline),
      nodes: pipeline.nodes.map(({ id, type, enabled }) => ({ id, type, enabled })),
      batchSize: pipeline.batchSize,
      maxRetries: pipeline.maxRetries,
      updatedAt: new Date(pipeline.updatedAt).toISOString(),
      jobStats: countJobs(sandbox, pipeline, nowMs),
    };
  },

  updatePipeline: ({ params, body, nowMs }, sandbox) => {
    const { store } = sandbox;
    const pipeline = pipelineOf(sandbox, params);
    const { nodes, ...fields } = body;
    store.pipelines.update(pipeline, {
      ...fields,
      ...(nodes ? { nodes: createGraph(nodes, () => store.newId('node')) } : {}),
      // A person reactivates the pipeline, so earlier failures no longer count.
      ...(body.status === 'ACTIVE' ? { consecutiveFailures: 0 } : {}),
      updatedAt: nowMs,
    });
    const { id, name, status, batchSize, maxRetries, consecutiveFailures } = pipeline;
    return { id, name, status, batchSize, maxRetries, consecutiveFailures };
  },

  listPipelineJobs: async ({ params, query, nowMs }, sandbox) => {
    const pipeline = pipelineOf(sandbox, params);
    await sandbox.advancePipelines();
    const allJobs = jobsOf(sandbox, pipeline);
    const { limit, offset } = query;
    const jobs = listNewestFirst(allJobs, limit, offset).map((job) =>
      toJobItem(sandbox, job, nowMs),
    );
    return { jobs, total: allJobs.length, limit, offset };
  },
} satisfies Partial<Handlers>;
