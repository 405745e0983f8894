// Reads current URLs of an asset's outputs from the platform, at most once per asset.
import { classify } from '../../../api/errors/retry.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import type { StepAsset } from '../../../plan/types.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { type Deliverable, readOutputs } from './outputs.ts';

/** Falls back to the known URL if the platform has no other one or does not respond. */
export function createUrlReader(asset: StepAsset, context: NodeContext) {
  const pendingReads = new Map<Deliverable, Promise<OutputRef[]>>();
  const readOnce = (kind: Deliverable) => {
    const pendingRead = pendingReads.get(kind) ?? readOutputs(asset, [kind], context, true);
    pendingReads.set(kind, pendingRead);
    return pendingRead;
  };
  return async (output: OutputRef): Promise<string> => {
    const kind = output.fileType === 'PDF' ? 'production_files' : 'renders';
    const outputs = await readOnce(kind).catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      pendingReads.delete(kind);
      return [];
    });
    return outputs.find(({ id }) => id === output.id)?.url ?? output.url ?? '';
  };
}

function isTransient(error: unknown): boolean {
  return ['backoff', 'rate', 'retry-soon'].includes(classify(error).kind);
}
