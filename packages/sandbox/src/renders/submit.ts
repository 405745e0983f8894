// Starts render jobs, one per project. Pictures are drawn in advance while the job's duration passes.
import type { RenderSettings } from 'renderline/api/operations/renders';
import { chooseDuration } from '../context/durations.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { refuseInput } from '../http/failure.ts';
import type { OutputRecord, ProjectRecord, RenderJobRecord } from '../state/records.ts';
import { requireRenderTemplate } from '../templates/templates.ts';
import { listVariants } from '../variants/variants.ts';
import { createDrawing, posterOf } from './drawing.ts';
import { planOutputs } from './plan.ts';
import { checkSizes } from './size.ts';

/** Time in the queue, and total duration of a job, at speed 1. */
const queueMs = { min: 300, max: 1500 };
const totalMs = { min: 3000, max: 9000 };

/** Starts one job per project in a new batch. On an error nothing is stored. @throws ApiFailure VALIDATION_ERROR */
export function submitRenders(
  sandbox: Sandbox,
  projects: readonly ProjectRecord[],
  settings: RenderSettings,
  nowMs: number,
): { batchId: string; jobs: RenderJobRecord[] } {
  checkSizes(settings);
  for (const project of projects) {
    if (project.modelIds.length === 0) {
      refuseInput(`projectIds: project ${project.id} (${project.name}) no longer has any models.`);
    }
  }
  const batchId = sandbox.store.newId('batch');
  const jobs = projects.map((project) => startJob(sandbox, project, settings, batchId, nowMs));
  return { batchId, jobs };
}

function startJob(
  sandbox: Sandbox,
  project: ProjectRecord,
  settings: RenderSettings,
  batchId: string,
  nowMs: number,
): RenderJobRecord {
  const { store, faults, stats, renders, events } = sandbox;
  const id = store.newId('render job');
  const models = project.modelIds.flatMap((modelId) => store.models.get(modelId) ?? []);
  const subjects = models.map((model) => ({
    model,
    variants: listVariants(sandbox, project, model),
  }));
  const template = requireRenderTemplate(store, project.templateId);
  const { failure, durationMs, isPreview } = faults.faultFor('render', project.name);
  const outputs = planOutputs(project, subjects, template, settings).map((plan) =>
    store.outputs.insert({ id: store.newId('render'), jobId: id, ...plan, isPreview }),
  );
  const job = store.renderJobs.insert({
    id,
    batchId,
    projectId: project.id,
    settings,
    ...computeTimes(sandbox, durationMs, nowMs),
    outputIds: outputs.map((output) => output.id),
    failure,
  });
  renders.add(job);
  events.renderEndChanged(job);
  stats.created('renderJobs');
  drawAhead(sandbox, job);
  return job;
}

/** Queues a FAILED job again, in a new batch. */
export function restartJob(sandbox: Sandbox, job: RenderJobRecord, nowMs: number): void {
  const { store, renders, faults, events } = sandbox;
  const project = store.projects.get(job.projectId);
  const { failure, durationMs } = faults.faultFor('render', project?.name ?? '');
  renders.remove(job);
  store.renderJobs.update(job, {
    batchId: store.newId('batch'),
    ...computeTimes(sandbox, durationMs, nowMs),
    failure,
    drawnAt: undefined,
  });
  renders.add(job);
  events.renderEndChanged(job);
  drawAhead(sandbox, job);
}

function computeTimes(sandbox: Sandbox, durationMs: number | undefined, nowMs: number) {
  const wholeMs = durationMs ?? chooseDuration(sandbox, totalMs, 'render');
  const waitMs = Math.min(chooseDuration(sandbox, queueMs, 'dispatch'), wholeMs);
  return { dispatchAt: nowMs + waitMs, endAt: nowMs + wholeMs };
}

/** Draws the pictures of a job that will complete. Also called after a restart of the sandbox. */
export function drawAhead(sandbox: Sandbox, job: RenderJobRecord): void {
  if (job.failure !== undefined || job.cancelledAt !== undefined || job.drawnAt !== undefined)
    return;
  sandbox.background.run(async () => {
    try {
      await Promise.all(
        sandbox.renders.ofJob(job).map(({ output }) => drawOutput(sandbox, job, output)),
      );
      sandbox.store.renderJobs.update(job, { drawnAt: sandbox.options.clock() });
    } catch (error) {
      // Stopping the sandbox is not a failure, because the pictures are drawn at the next start.
      if (sandbox.stopSignal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      sandbox.store.renderJobs.update(job, {
        failure: `The picture could not be drawn: ${reason}`,
      });
    }
    sandbox.store.flush();
    sandbox.events.renderEndChanged(job);
  });
}

async function drawOutput(sandbox: Sandbox, job: RenderJobRecord, output: OutputRecord) {
  const { pictures, store } = sandbox;
  const drawing = createDrawing(sandbox, job, output);
  const { file, bytes } = await pictures.draw(drawing);
  const poster = drawing.format === 'MP4' ? await pictures.draw(posterOf(drawing)) : undefined;
  store.outputs.update(output, { file, bytes, ...(poster ? { poster: poster.file } : {}) });
}
