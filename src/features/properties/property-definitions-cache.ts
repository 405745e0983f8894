// Caches the property definitions of a workspace: each worker reads them once per run.

import type { Client } from '../../api/client.ts';
import type { AssetType } from '../../api/operations/properties.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import type { NameContext } from '../../engine/discovery/name-context.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { sharedPerPoller } from '../../engine/polling/poller-context.ts';
import { PropertyDefinitions } from './property-definitions.ts';

const runsRemembered = 50;

class PropertyDefinitionsCache {
  readonly #client: Client;
  readonly #known = new Map<string, Promise<PropertyDefinitions>>();

  constructor(client: Client) {
    this.#client = client;
  }

  of(
    run: string,
    assetType: AssetType | null,
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

  forget(run: string, assetType: AssetType | null): void {
    this.#known.delete(nameOf(run, assetType));
  }
}

function nameOf(run: string, assetType: AssetType | null): string {
  return `${assetType} ${run}`;
}

export const propertyDefinitionsCache = sharedPerPoller(
  ({ client }) => new PropertyDefinitionsCache(client),
  {
    alsoUrgent: true,
  },
);

/** Runs `work` with cached definitions. An error that stops the run clears them, because a person may correct them. */
export async function withDefinitions<T>(
  assetType: AssetType | null,
  { pollerContext, run, requests, signal }: Omit<NameContext, 'connectorNamed'>,
  work: (definitions: PropertyDefinitions) => T | Promise<T>,
): Promise<T> {
  const cache = propertyDefinitionsCache(pollerContext);
  const definitions = await cache.of(run.run, assetType, requests, signal);
  try {
    return await work(definitions);
  } catch (error) {
    if (error instanceof RunCauseError) cache.forget(run.run, assetType);
    throw error;
  }
}
