// Updates colorway jobs when their model or material is deleted.
import type { Sandbox } from '../context/sandbox.ts';
import type { ColorwayJobRecord } from '../state/colorway-records.ts';

/**
 * Fails the open jobs with this material. Existing variants need no update, because a slot without its swapped material
 * shows the material of the model's file again.
 */
export function failJobsOfMaterial(sandbox: Sandbox, materialId: string, nowMs: number): void {
  failOpenJobs(sandbox, nowMs, `The material ${materialId} was deleted.`, ({ swaps }) =>
    Object.values(swaps).includes(materialId),
  );
}

/** Fails the open jobs of a model. All its jobs stay in their batches as history. */
export function failJobsOfModel(sandbox: Sandbox, modelId: string, nowMs: number): void {
  failOpenJobs(
    sandbox,
    nowMs,
    `The model ${modelId} was deleted.`,
    (job) => job.modelId === modelId,
  );
}

function failOpenJobs(
  { store }: Sandbox,
  nowMs: number,
  failure: string,
  isAffected: (job: ColorwayJobRecord) => boolean,
): void {
  for (const job of store.colorwayJobs.all) {
    if (nowMs < job.endAt && job.failure === undefined && isAffected(job)) {
      store.colorwayJobs.update(job, { failure });
    }
  }
}
