// Manages the platform's own pipelines (Enterprise) from pipeline files.
import type { Client } from '../../api/client.ts';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { PipelineJob } from '../../api/operations/pipelines.ts';
import { listPages } from '../../api/pages.ts';
import type { App } from '../app.ts';
import { withPlatform } from '../platform-client.ts';
import { convertForPlatform, pullIntoFile } from './convert-file.ts';
import { requirePipeline } from './pipelines.ts';
import { previewPush, pushPipeline } from './push.ts';

export type PlatformPipelinesList = Awaited<ReturnType<typeof listPlatformPipelines>>;

export function listPlatformPipelines(app: App) {
  return withPlatform(app, async (client) => {
    const { pipelines } = await client.listPipelines();
    const { connectors } = await client.listConnectors();
    return { schema: 'renderline/platform-list/v1' as const, pipelines, connectors };
  });
}

export interface PushFileOptions {
  parameters: Readonly<Record<string, string>>;
  /** Id or name of the pipeline to replace. @default the pipeline with the file's `name:`, or a new one */
  target?: string | undefined;
  paused?: boolean | undefined;
  /** Only return which pipeline would be created or updated. */
  dryRun?: boolean | undefined;
}

export interface PushedPipeline {
  schema: 'renderline/platform-push/v1';
  /** Id of the pipeline. Null if a dry run would create the pipeline. */
  id: string | null;
  created: boolean;
  status: string | null;
  name: string;
  /** Fields of the file that the platform does not support. */
  omitted: readonly string[];
  /** Connectors that do not exist on the platform yet. */
  missingConnectors: string[];
}

/** Creates or updates a pipeline on the platform from a file. */
export async function pushFile(
  app: App,
  file: string,
  { parameters, target, paused = false, dryRun = false }: PushFileOptions,
): Promise<PushedPipeline> {
  const { shape, unmapped, operations } = await convertForPlatform(app, file, parameters);
  return withPlatform(
    app,
    async (client) => {
      const { connectors } = await client.listConnectors();
      const push = dryRun ? previewPush : pushPipeline;
      return {
        schema: 'renderline/platform-push/v1',
        ...(await push(client, shape, { target, paused })),
        name: shape.name,
        omitted: unmapped,
        missingConnectors: shape.connectors.filter((name) => !connectors.includes(name)),
      };
    },
    operations,
  );
}

/** Writes a pipeline, as the platform returns it, to a file. @param file if undefined, only returns the text */
export function pullPipeline(app: App, idOrName: string, file: string | undefined) {
  return withPlatform(app, async (client) => {
    const { id } = await requirePipeline(client, idOrName);
    const pipeline = await client.getPipeline({ params: { pipelineId: id } });
    const { text, state } = await pullIntoFile(app, pipeline, file);
    const { name, status } = pipeline;
    const schema = 'renderline/platform-pull/v1' as const;
    return { schema, id, name, status, file: file ?? null, state, text };
  });
}

export type PipelineStatus = Awaited<ReturnType<typeof setPipelineStatus>>;

/** Sets whether a pipeline accepts new files. */
export function setPipelineStatus(app: App, idOrName: string, status: 'ACTIVE' | 'PAUSED') {
  return withPlatform(app, async (client) => {
    const { id } = await requirePipeline(client, idOrName);
    const pipeline = await client.updatePipeline({ params: { pipelineId: id }, body: { status } });
    const schema = 'renderline/platform-status/v1' as const;
    return { schema, id, name: pipeline.name, status: pipeline.status };
  });
}

type PlatformJob = ResponseOf<typeof PipelineJob>;

export type PlatformJobsList = Awaited<ReturnType<typeof listPipelineJobs>>;

export function listPipelineJobs(app: App, idOrName: string, limit: number) {
  return withPlatform(app, async (client) => {
    const { id } = await requirePipeline(client, idOrName);
    const { jobs, total } = await listNewestJobs(client, id, limit);
    return { schema: 'renderline/platform-jobs/v1' as const, id, total, jobs };
  });
}

/** Lists up to `limit` jobs, newest first, and returns the total number of jobs. */
async function listNewestJobs(
  client: Client,
  pipelineId: string,
  limit: number,
): Promise<{ jobs: PlatformJob[]; total: number }> {
  const jobs: PlatformJob[] = [];
  let total = 0;
  const list = async ({ query }: { query?: { limit?: number; offset?: number } }) => {
    const page = await client.listPipelineJobs({ params: { pipelineId }, query: query ?? {} });
    total = page.total ?? 0;
    return page;
  };
  for await (const job of listPages(
    'listPipelineJobs',
    list,
    {},
    { pageSize: Math.min(limit, 100) },
  )) {
    if (jobs.push(job) >= limit) break;
  }
  return { jobs, total: Math.max(total, jobs.length) };
}
