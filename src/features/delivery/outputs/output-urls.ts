// Reads current URLs of an asset's outputs from the platform, with few requests.
import { classify } from '../../../api/errors/retry.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import type { StepAsset } from '../../../plan/types.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { type Deliverable, readOutputs } from './outputs.ts';

/**
 * Returns a function that returns the current URL of an output. All outputs of a kind share one read. They are read again only
 * if storage refused a URL that the last read had brought, so a platform that repeats its URLs is not asked repeatedly.
 * Falls back to the known URL if the platform has no other one or does not respond.
 */
export function createUrlReader(asset: StepAsset, context: NodeContext) {
  const reads = new Map<Deliverable, Promise<OutputRef[]>>();
  /** The last read that brought a new URL, by id of the output. */
  const newUrlReads = new Map<string, Promise<OutputRef[]>>();
  return async (output: OutputRef, refused?: string): Promise<string> => {
    const kind = output.fileType === 'PDF' ? 'production_files' : 'renders';
    if (refused !== undefined && newUrlReads.get(output.id) === reads.get(kind)) reads.delete(kind);
    const read = reads.get(kind) ?? readOutputs(asset, [kind], context, true);
    reads.set(kind, read);
    const outputs = await read.catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      if (reads.get(kind) === read) reads.delete(kind);
      return [];
    });
    const url = outputs.find(({ id }) => id === output.id)?.url;
    if (url !== undefined && url !== refused && url !== output.url)
      newUrlReads.set(output.id, read);
    return url ?? refused ?? output.url ?? '';
  };
}

function isTransient(error: unknown): boolean {
  return ['backoff', 'rate', 'retry-soon'].includes(classify(error).kind);
}
