// Numbers the reruns of a lineage, as part of every idempotency key, so that no two reruns share one.
import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, numberName } from '../objects/object-name.ts';

interface StoredEpoch {
  lineage: string;
  /** The run that is retried. */
  of: string;
  /** ISO 8601. */
  at: string;
}

/** Takes the next number of a lineage, starting at 1. An unused number is not taken again. */
export async function takeEpoch(objects: JsonObjects, request: StoredEpoch): Promise<number> {
  const folder = `lineages/${encodeKey(request.lineage)}`;
  const epochs = new JsonFolder<StoredEpoch>(objects, folder, 'renderline/epoch/v1');
  const takenEpochs = (await epochs.names()).map((name) => Number.parseInt(name, 10));
  const options = { ifAbsent: true, durable: true };
  for (let epoch = Math.max(0, ...takenEpochs) + 1; ; epoch += 1) {
    const outcome = await epochs.write(numberName(epoch, 5), request, options);
    if (outcome === 'written') return epoch;
  }
}
