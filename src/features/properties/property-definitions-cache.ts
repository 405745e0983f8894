// Caches the property definitions of a workspace: each worker reads them once per run.

import type { Client } from '../../api/client.ts';
import type { AssetType } from '../../api/operations/properties.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { sharedPerPoller } from '../../engine/polling/poller-context.ts';
import { PropertyDefinitions } from './property-definitions.ts';

const runsRemembered = 50;

export class PropertyDefinitionsCache {
  readonly #client: Client;
  readonly #known = new Map<string, Promise<PropertyDefinitions>>();

  constructor(client: Client) {
    this.#client = client;
  }

  of(
    run: string,
    assetType: AssetType,
    requests: RequestCounter,
    signal: AbortSignal,
  ): Promise<PropertyDefinitions> {
    const name = nameOf(run, assetType);
    const known = this.#known.get(name);
    if (known) return known;
    if (this.#known.size >= runsRemembered) this.#known.clear();
    const reading = PropertyDefinitions.read(this.#client, assetType, requests, signal);
    reading.catch(() => this.#known.delete(name));
    this.#known.set(name, reading);
    return reading;
  }

  /** Forgets the definitions, because a person who resumes a run may have repaired the workspace. */
  forget(run: string, assetType: AssetType): void {
    this.#known.delete(nameOf(run, assetType));
  }
}

function nameOf(run: string, assetType: AssetType): string {
  return `${assetType} ${run}`;
}

export const propertyDefinitionsCache = sharedPerPoller(
  ({ client }) => new PropertyDefinitionsCache(client),
  {
    alsoUrgent: true,
  },
);
