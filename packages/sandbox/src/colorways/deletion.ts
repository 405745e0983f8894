// Updates colorway jobs when their model or material is deleted (4.10).
import type { Sandbox } from '../sandbox.ts';
import type { ColorwayJobRecord } from './records.ts';

/**
 * Jobs that have not ended fail. Variants that are there lose the material by themselves: a swap
 * counts only while its material exists, and the slot wears the file's own again.
 */
export function forgetMaterial(sandbox: Sandbox, materialId: string, now: number): void {
  failOpen(sandbox, now, `The material ${materialId} was deleted.`, ({ swaps }) =>
    Object.values(swaps).includes(materialId),
  );
}

/** Jobs that have not ended fail; all stay in their batches as history. */
export function forgetModelOfJobs(sandbox: Sandbox, modelId: string, now: number): void {
  failOpen(sandbox, now, `The model ${modelId} was deleted.`, (job) => job.modelId === modelId);
}

function failOpen(
  { store }: Sandbox,
  now: number,
  failure: string,
  concerns: (job: ColorwayJobRecord) => boolean,
): void {
  for (const job of store.colorwayJobs.all) {
    if (now < job.endAt && job.failure === undefined && concerns(job)) {
      store.colorwayJobs.update(job, { failure });
    }
  }
}
