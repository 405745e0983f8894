// Reads current URLs of an asset's outputs from the platform, at most once per asset.
import { classify } from '../../api/retry.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { StepAsset } from '../../plan/types.ts';
import type { OutputRef } from '../renders/refs.ts';
import { type Deliverable, outputsOf } from './outputs.ts';

/** Falls back to the known URL if the platform has no other one or does not respond. */
export function freshUrls(asset: StepAsset, context: NodeContext) {
  const asked = new Map<Deliverable, Promise<OutputRef[]>>();
  const ask = (kind: Deliverable) => {
    const asking = asked.get(kind) ?? outputsOf(asset, [kind], context, true);
    asked.set(kind, asking);
    return asking;
  };
  return async (output: OutputRef): Promise<string> => {
    const kind = output.fileType === 'PDF' ? 'production_files' : 'renders';
    const outputs = await ask(kind).catch((error: unknown) => {
      if (!mayPass(error)) throw error;
      asked.delete(kind);
      return [];
    });
    return outputs.find(({ id }) => id === output.id)?.url ?? output.url ?? '';
  };
}

function mayPass(error: unknown): boolean {
  return ['backoff', 'rate', 'again-soon'].includes(classify(error).kind);
}
