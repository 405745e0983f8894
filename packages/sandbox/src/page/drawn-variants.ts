// The rendered outputs of each variant of the requested models, and the variant's last render job.

import type { Sandbox } from '../context/sandbox.ts';
import type { OutputRecord, RenderJobRecord } from '../state/records.ts';
import { renderJobStatus } from '../status/renders.ts';

export interface DrawnVariant {
  /** The newest output of each camera. */
  readonly outputs: Map<string, OutputRecord>;
  readonly last: RenderJobRecord;
}

/** Returns the outputs by `variantKeyOf`, collected in one pass over the render jobs. */
export function mapRendersByVariant(
  { store }: Sandbox,
  modelIds: ReadonlySet<string>,
  nowMs: number,
): ReadonlyMap<string, DrawnVariant> {
  const variantsByKey = new Map<string, DrawnVariant>();
  for (const job of store.renderJobs.all) {
    const isDone = renderJobStatus(job, nowMs) === 'COMPLETED';
    for (const id of job.outputIds) {
      const output = store.outputs.get(id);
      if (output?.variantId === undefined || !modelIds.has(output.modelId)) continue;
      const key = variantKeyOf(output.modelId, output.variantId);
      const drawnVariant = { outputs: new Map(), ...variantsByKey.get(key), last: job };
      const camera = output.bookmarkId ?? output.shotIds?.join(' ') ?? '';
      if (isDone) drawnVariant.outputs.set(camera, output);
      variantsByKey.set(key, drawnVariant);
    }
  }
  return variantsByKey;
}

export function variantKeyOf(modelId: string, variantId: string): string {
  return `${modelId} ${variantId}`;
}
