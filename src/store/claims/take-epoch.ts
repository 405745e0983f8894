// Numbers the reruns of a lineage, as part of every idempotency key, so that no two reruns share one.
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey } from '../objects/object-name.ts';

const schema = 'renderline/epoch/v1';

interface StoredEpoch {
  schema: typeof schema;
  lineage: string;
  /** The run that is retried. */
  of: string;
  /** ISO 8601. */
  at: string;
}

/** Takes the next number of a lineage, starting at 1. An unused number is not taken again. */
export async function takeEpoch(
  objects: JsonObjects,
  request: Omit<StoredEpoch, 'schema'>,
): Promise<number> {
  const folder = `lineages/${encodeKey(request.lineage)}`;
  const takenEpochs = (await objects.names(folder)).map((name) => Number.parseInt(name, 10));
  const value: StoredEpoch = { schema, ...request };
  for (let epoch = Math.max(0, ...takenEpochs) + 1; ; epoch += 1) {
    const path = `${folder}/${String(epoch).padStart(5, '0')}.json`;
    const outcome = await objects.write(path, value, { ifAbsent: true, durable: true });
    if (outcome === 'written') return epoch;
  }
}
