// Shards whose assets a shard took over: their open intents must be sent again before anything new.
import type { Origin } from '../calls/intents.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey } from '../objects/object-name.ts';

const schema = 'renderline/origins/v1';

interface StoredOrigins {
  schema: typeof schema;
  from: Origin[];
  /** When the first of the assets was taken over, ISO 8601. */
  at: string;
}

export class Origins {
  readonly #objects: JsonObjects;
  readonly #folder: string;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/origins`;
  }

  /** `atMs`: when the first of the assets was taken over; Infinity if none was. */
  async read(shard: number): Promise<{ from: Origin[]; atMs: number }> {
    const storedOrigins = await this.#objects.read<StoredOrigins>(this.#pathOf(shard), schema);
    if (!storedOrigins) return { from: [], atMs: Number.POSITIVE_INFINITY };
    return { from: storedOrigins.from, atMs: Date.parse(storedOrigins.at) };
  }

  /** Writes nothing if no asset was taken over. */
  async write(shard: number, origins: readonly Origin[], takenAt: string): Promise<void> {
    const distinct = new Map(origins.map((origin) => [`${origin.shard} ${origin.run}`, origin]));
    if (distinct.size === 0) return;
    const value: StoredOrigins = { schema, from: [...distinct.values()], at: takenAt };
    await this.#objects.write(this.#pathOf(shard), value, { durable: true });
  }

  #pathOf(shard: number): string {
    return `${this.#folder}/${String(shard).padStart(4, '0')}.json`;
  }
}
