// The newest jobs of one of the platform's pipelines.

import type { Client } from '../../api/client.ts';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { PipelineJob } from '../../api/operations/pipelines.ts';
import { pages } from '../../api/pages.ts';

export type PlatformJob = ResponseOf<typeof PipelineJob>;

/** Up to `limit` jobs, newest first, and how many there are. */
export async function newestJobs(
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
  for await (const job of pages('listPipelineJobs', list, {}, { pageSize: Math.min(limit, 100) })) {
    if (jobs.push(job) >= limit) break;
  }
  return { jobs, total: Math.max(total, jobs.length) };
}
