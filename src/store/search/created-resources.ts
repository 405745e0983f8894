// Resources that a pipeline's runs have created on the platform, and their users. Calls are read a few at a time, and
// only a small entry is kept for each resource.

import { findCreatedKind, idFields, resourceKinds } from '../../api/resources.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import { type Intent, readIntentAt } from '../calls/intents.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { encodeKey, modelPartOf } from '../objects/object-name.ts';
import { createCellKey } from '../records/cell-keys.ts';
import type { RunFolder } from '../runs/run-folders.ts';

const maxConcurrentReads = 32;

export interface TrackedResource extends PlatformResource {
  /** Key of the asset that the resource was created for, or the key that its cells share. */
  key: string;
  /** Runs whose calls returned the resource, newest first. Repeating an idempotency key repeats the response. */
  runs: readonly string[];
  /** Index of the newest run's shard. */
  shard: number;
  /** When the last call that returned the resource was created, ISO 8601. */
  createdAt: string;
  /** True if all calls that returned the resource were abandoned. */
  isAbandoned: boolean;
  isUsed: boolean;
}

export interface ResourceUser {
  /** Display text. It identifies an open run, assets or materials of this pipeline, or another pipeline. */
  user: string;
  /** Number of resources counted for this user. A resource counts only for the first of its users found. */
  resources: number;
}

/** Describes an open run as a user of resources. */
export function formatOpenRun(run: string): string {
  return `run ${run}, which is still running`;
}

export class CreatedResources {
  readonly #ofKind = new Map<string, Map<string, TrackedResource>>(
    resourceKinds.map((kind) => [kind, new Map()]),
  );
  /** Encoded keys of assets that are being worked on. */
  readonly #busyKeys = new Set<string>();
  /** The part of each of these keys that all cells of a model share. */
  readonly #busyModels = new Set<string>();
  /** Number of resources by the first user that was found. */
  readonly #users = new Map<string, number>();

  /** Reads the calls of a run. Read the newest run first. Damaged calls are skipped, so their resources are kept. */
  async read(
    connector: Connector,
    base: string,
    { run, intents }: RunFolder,
    options: { signal: AbortSignal; onRead: () => void },
  ): Promise<void> {
    // All resources of the run share this array, since there may be hundreds of thousands of them.
    const runs = [run];
    const readOne = async ({ path, shard }: { path: string; shard: number }) => {
      const intent = await readIntentAt(connector, `${base}/${path}`);
      options.onRead();
      if (intent === null) return;
      const isAbandoned = intent.state === 'abandoned';
      const { createdAt } = intent;
      for (const resource of resourcesOfCall(intent)) {
        this.#add({ ...resource, runs, shard, createdAt, isAbandoned, isUsed: false });
      }
    };
    const { signal } = options;
    await mapBounded(intents, readOne, { maxConcurrent: maxConcurrentReads, signal });
  }

  get size(): number {
    return this.#maps().reduce((sum, resourcesById) => sum + resourcesById.size, 0);
  }

  unused(): TrackedResource[] {
    const isUnused = ({ key, isUsed }: TrackedResource) => !isUsed && !this.#isBusy(key);
    return this.#maps().flatMap((resourcesById) => [...resourcesById.values()].filter(isUnused));
  }

  get users(): ResourceUser[] {
    const users = [...this.#users].map(([user, resources]) => ({ user, resources }));
    return users.toSorted((a, b) => b.resources - a.resources);
  }

  /** @param user display text */
  markUsedBy(resources: Iterable<PlatformResource>, user: string): void {
    for (const { kind, id } of resources) {
      const resource = this.#ofKind.get(kind)?.get(id);
      if (resource) this.#mark(resource, user);
    }
  }

  /** Marks everything that was created for an asset, or for cells of its model, as used. */
  markAllUsedOf(encodedKey: string): void {
    this.#busyKeys.add(encodedKey);
    this.#busyModels.add(modelPartOf(encodedKey));
  }

  markAllUsedByRuns(runs: ReadonlySet<string>): void {
    for (const resource of this.#maps().flatMap((ofKind) => [...ofKind.values()])) {
      const run = resource.runs.find((runId) => runs.has(runId));
      if (run !== undefined) this.#mark(resource, formatOpenRun(run));
    }
  }

  /** True if a run works on the asset, or on a cell of the model, since calls of a model have the key of the model. */
  #isBusy(key: string): boolean {
    const ofCells = modelPartOf(encodeKey(createCellKey(key, '')));
    return this.#busyKeys.has(encodeKey(key)) || this.#busyModels.has(ofCells);
  }

  #mark(resource: TrackedResource, user: string): void {
    if (resource.isUsed) return;
    resource.isUsed = true;
    this.#users.set(user, (this.#users.get(user) ?? 0) + 1);
  }

  #maps(): Map<string, TrackedResource>[] {
    return [...this.#ofKind.values()];
  }

  #add(resource: TrackedResource): void {
    const ofKind = this.#ofKind.get(resource.kind);
    const existingResource = ofKind?.get(resource.id);
    if (existingResource) {
      existingResource.runs = [...existingResource.runs, ...resource.runs];
      existingResource.isAbandoned &&= resource.isAbandoned;
      if (existingResource.createdAt < resource.createdAt)
        existingResource.createdAt = resource.createdAt;
      return;
    }
    ofKind?.set(resource.id, resource);
  }
}

/** Returns the resources that a call has created, even if it was abandoned after its response. */
function resourcesOfCall({ operation, result = {} }: Intent) {
  const kind = findCreatedKind(operation);
  if (kind === null) return [];
  return Object.entries(result).flatMap(([key, platformIds]) => {
    const id = platformIds[idFields[kind]];
    return id === undefined ? [] : [{ kind, id, key }];
  });
}
