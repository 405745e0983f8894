// Finds what all pipelines of a workspace have created, in the records of each. Without this, an event-triggered
// pipeline would process, and pay for, models that another pipeline has just uploaded.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import {
  mergeOwnObjects,
  type OwnObjects,
  ownObjectsLookbackMs,
  readOwnObjects,
} from '../../store/calls/own-objects.ts';

/** Locations of the records of all runs that are open or have closed since `sinceMs`, epoch ms. */
export type RecentLocations = (sinceMs: number) => Promise<ConnectorSpec[]>;

/** Overlap of two listings, because Temporal lists a run only shortly after it has closed and its clock may differ. */
const listingOverlapMs = 5 * 60_000;

/** A worker process has one instance. Locations where no run has worked since the last call are not read again. */
export class WorkspaceRecords {
  readonly #recentLocations: RecentLocations;
  readonly #openConnector: (spec: ConnectorSpec) => Connector;
  readonly #locationsByName = new Map<string, { ownObjects: OwnObjects; readAtMs: number }>();
  #listedAtMs: number | null = null;

  constructor(recentLocations: RecentLocations, openConnector: (spec: ConnectorSpec) => Connector) {
    this.#recentLocations = recentLocations;
    this.#openConnector = openConnector;
  }

  /**
   * Objects created by runs whose records are in this location or in those of other pipelines.
   * @throws ConnectorError if a location cannot be read now
   */
  async objects(location: ConnectorSpec, signal: AbortSignal, nowMs: number): Promise<OwnObjects> {
    const sinceMs =
      this.#listedAtMs === null
        ? nowMs - ownObjectsLookbackMs
        : this.#listedAtMs - listingOverlapMs;
    const recent = await this.#recentLocations(sinceMs);
    const specs = new Map(recent.map((spec) => [JSON.stringify(spec), spec]));
    const name = JSON.stringify(location);
    specs.delete(name);
    const ownObjects = await readOwnObjects(this.#openConnector(location), signal, nowMs);
    // Kept for the calls of other pipelines, whose list of recent runs may lack the runs of this one.
    this.#locationsByName.set(name, { ownObjects, readAtMs: nowMs });
    for (const [other, spec] of specs) {
      const otherObjects = await this.#readObjects(spec, signal, nowMs);
      if (otherObjects !== null)
        this.#locationsByName.set(other, { ownObjects: otherObjects, readAtMs: nowMs });
    }
    this.#listedAtMs = nowMs;
    for (const [other, { readAtMs }] of this.#locationsByName) {
      if (nowMs - readAtMs > ownObjectsLookbackMs) this.#locationsByName.delete(other);
    }
    const parts = [...this.#locationsByName.values()].map((part) => part.ownObjects);
    return mergeOwnObjects(parts, nowMs);
  }

  /**
   * Returns what runs with records in this location have created, or null if this worker has no access to the location.
   * A run without access creates nothing, but a run on another host may have access.
   */
  async #readObjects(
    spec: ConnectorSpec,
    signal: AbortSignal,
    nowMs: number,
  ): Promise<OwnObjects | null> {
    try {
      return await readOwnObjects(this.#openConnector(spec), signal, nowMs);
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      if (error.runCause !== null) return null;
      const { code, path, what, fix } = error;
      const problem = `the records of another pipeline cannot be read: ${what}`;
      throw new ConnectorError(code, path, problem, fix, { cause: error });
    }
  }
}
