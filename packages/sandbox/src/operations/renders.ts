import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { fail, refuseInput } from '../http/failure.ts';
import { restartJob, submitRenders } from '../renders/submit.ts';
import type { RenderJobRecord } from '../state/records.ts';
import { listNewestFirst } from '../state/table.ts';
import {
  finishedAtMsOf,
  hasVideoFormat as isVideoOutput,
  outputKeyOf,
  renderAsset,
  renderJobStatus,
  renderOutput,
} from '../status/renders.ts';

const maxProjects = 50;

/** The fields of a job that all responses contain. Records in the statistics that a completed job was shown. */
function toJobLine({ stats }: Sandbox, job: RenderJobRecord, nowMs: number) {
  const status = renderJobStatus(job, nowMs);
  if (status === 'COMPLETED') stats.seenReady('render', job.id, finishedAtMsOf(job), nowMs);
  return { jobId: job.id, status, projectId: job.projectId };
}

function requireJob({ store }: Sandbox, jobId: string): RenderJobRecord {
  return requireRecord(store.renderJobs, jobId, 'render job', 'RENDER_JOB_NOT_FOUND');
}

function failureOf(job: RenderJobRecord, status: string) {
  return status === 'FAILED' && job.failure !== undefined ? { errorMessage: job.failure } : {};
}

export const renders = {
  listRenders: ({ query, origin, nowMs }, sandbox) => {
    const { limit, offset, projectId, isVideo, favorited } = query;
    const { finished } = sandbox.renders;
    const isUnfiltered =
      projectId === undefined && isVideo === undefined && favorited === undefined;
    const matches = isUnfiltered
      ? finished
      : finished.filter(
          ({ job, output }) =>
            (projectId === undefined || job.projectId === projectId) &&
            (isVideo === undefined || isVideoOutput(output) === isVideo) &&
            (favorited === undefined || (output.favorited ?? false) === favorited),
        );
    const page = listNewestFirst(matches, limit, offset);
    for (const { job } of page)
      sandbox.stats.seenReady('render', job.id, finishedAtMsOf(job), nowMs);
    return {
      renders: page.map(({ job, output }) => renderAsset(job, output, origin)),
      total: matches.length,
      limit,
      offset,
    };
  },

  createRenders: ({ body, nowMs }, sandbox) => {
    const ids = [...new Set(body.projectIds)];
    if (ids.length > maxProjects) {
      refuseInput(`projectIds: ${ids.length} different ids; the maximum is ${maxProjects}.`);
    }
    const projects = ids.map(
      (id) =>
        sandbox.store.projects.get(id) ??
        fail('PROJECT_NOT_FOUND', `projectIds: the project ${id} does not exist.`),
    );
    const { batchId, jobs } = submitRenders(sandbox, projects, body.settings ?? {}, nowMs);
    return {
      batchId,
      jobs: jobs.map((job) => toJobLine(sandbox, job, nowMs)),
      totalProjects: jobs.length,
    };
  },

  getRenderJob: ({ params, origin, nowMs }, sandbox) => {
    const job = requireJob(sandbox, params.jobId);
    const line = toJobLine(sandbox, job, nowMs);
    const outputs = line.status === 'COMPLETED' ? sandbox.renders.ofJob(job) : [];
    const renders = outputs.map(({ output }) => renderOutput(output, origin));
    return { ...line, ...failureOf(job, line.status), renders };
  },

  getRenderBatch: ({ params, nowMs }, sandbox) => {
    const { batchId } = params;
    const jobs = [
      ...(sandbox.renders.ofBatch(batchId) ??
        fail('NOT_FOUND', `The batch ${batchId} does not exist.`)),
    ];
    const counts: Record<string, number> = {};
    const lines = jobs.map((job) => {
      const line = toJobLine(sandbox, job, nowMs);
      counts[line.status] = (counts[line.status] ?? 0) + 1;
      return { ...line, ...failureOf(job, line.status) };
    });
    return { batchId, total: jobs.length, counts, jobs: lines };
  },

  cancelRenderJob: ({ params, nowMs }, sandbox) => {
    const job = requireJob(sandbox, params.jobId);
    const status = renderJobStatus(job, nowMs);
    if (status !== 'QUEUED' && status !== 'RENDER_QUEUED') {
      fail(
        'INVALID_STATUS',
        `Render job ${job.id} is ${status}; only a queued job can be cancelled.`,
      );
    }
    sandbox.store.renderJobs.update(job, { cancelledAt: nowMs });
    return { jobId: job.id, status: 'CANCELLED' };
  },

  retryRenderJob: ({ params, nowMs }, sandbox) => {
    const job = requireJob(sandbox, params.jobId);
    const status = renderJobStatus(job, nowMs);
    if (status !== 'FAILED') {
      fail(
        'INVALID_STATUS',
        `Render job ${job.id} is ${status}; only a FAILED job can be retried.`,
      );
    }
    restartJob(sandbox, job, nowMs);
    return { ...toJobLine(sandbox, job, nowMs), batchId: job.batchId };
  },

  downloadRender: ({ params, origin, nowMs }, sandbox) => {
    const placedOutput = sandbox.renders.output(params.renderId);
    if (!placedOutput || renderJobStatus(placedOutput.job, nowMs) !== 'COMPLETED') {
      return fail('NOT_FOUND', `The render ${params.renderId} does not exist.`);
    }
    const key = outputKeyOf(placedOutput.output);
    return { location: sandbox.links.sign('GET', origin, key, nowMs) };
  },
} satisfies Partial<Handlers>;
