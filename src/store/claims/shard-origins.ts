// Shards whose assets a shard took over. Their open intents must be sent again before anything new.
import type { Origin } from '../calls/intents.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { numberName, runFolder } from '../objects/object-name.ts';

interface StoredOrigins {
  from: Origin[];
  /** When the first of the assets was taken over, ISO 8601. */
  at: string;
}

export class Origins {
  readonly #shards: JsonFolder<StoredOrigins>;

  constructor(objects: JsonObjects, run: string) {
    this.#shards = new JsonFolder(objects, `${runFolder(run)}/origins`, 'renderline/origins/v1');
  }

  /** `atMs` is when the first of the assets was taken over. It is Infinity if none was. */
  async read(shard: number): Promise<{ from: Origin[]; atMs: number }> {
    const storedOrigins = await this.#shards.read(numberName(shard, 4));
    if (!storedOrigins) return { from: [], atMs: Number.POSITIVE_INFINITY };
    return { from: storedOrigins.from, atMs: Date.parse(storedOrigins.at) };
  }

  /** Writes nothing if no asset was taken over. */
  async write(shard: number, origins: readonly Origin[], takenAt: string): Promise<void> {
    const distinct = new Map(origins.map((origin) => [`${origin.shard} ${origin.run}`, origin]));
    if (distinct.size === 0) return;
    const value = { from: [...distinct.values()], at: takenAt };
    await this.#shards.write(numberName(shard, 4), value);
  }
}
