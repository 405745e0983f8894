// Finished calls of shards. What a finished call has created never changes, so each call is read once.

import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { type Intent, intentSchema, type Origin, shardFolderOf } from './intents.ts';

/** The part of a call that identifies what it created, and for which assets. */
export type FinishedCall = Pick<Intent, 'key' | 'operation' | 'params' | 'assets' | 'result'>;

/** Maximum number of cached shards. The least recently used one is dropped. */
const maxCachedShards = 32;

export class FinishedCalls {
  readonly #objects: JsonObjects;
  /** Calls by folder of the shard, then by name. The most recently used shard is the last one. */
  readonly #shards = new Map<string, Map<string, FinishedCall>>();

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  async of({ run, shard }: Origin): Promise<FinishedCall[]> {
    const folder = shardFolderOf(run, shard);
    const callsByName = this.#remember(folder);
    const names = await this.#objects.names(folder);
    const newNames = names.filter((name) => !callsByName.has(name));
    await mapBounded(newNames, async (name) => {
      const call = await this.#objects.read<Intent>(`${folder}/${name}`, intentSchema);
      if (call?.state !== 'done') return;
      const { key, operation, params, assets, result } = call;
      callsByName.set(name, { key, operation, assets, ...omitUndefined({ params, result }) });
    });
    return [...callsByName.values()];
  }

  #remember(folder: string): Map<string, FinishedCall> {
    const callsByName = this.#shards.get(folder) ?? new Map<string, FinishedCall>();
    this.#shards.delete(folder);
    this.#shards.set(folder, callsByName);
    const [oldest] = this.#shards.keys();
    if (this.#shards.size > maxCachedShards && oldest !== undefined) this.#shards.delete(oldest);
    return callsByName;
  }
}
