// Finds what all pipelines of a workspace have created, in the records of each. Without this, a pipeline that events
// trigger would process, and pay for, models that another pipeline has just uploaded.
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

/** Overlap of two listings: Temporal lists a run only shortly after it has closed, and its clock may differ. */
const listingOverlapMs = 5 * 60_000;

interface ReadLocation {
  own: OwnObjects;
  readAtMs: number;
}

/** A worker process has one instance. Locations in which no run has worked since the last call are not read again. */
export class WorkspaceRecords {
  readonly #recentLocations: RecentLocations;
  readonly #open: (spec: ConnectorSpec) => Connector;
  readonly #read = new Map<string, ReadLocation>();
  #listedMs: number | null = null;

  constructor(recentLocations: RecentLocations, open: (spec: ConnectorSpec) => Connector) {
    this.#recentLocations = recentLocations;
    this.#open = open;
  }

  /**
   * Objects created by runs whose records are in this location or in those of other pipelines.
   * @throws ConnectorError if a location cannot be read now
   */
  async objects(location: ConnectorSpec, signal: AbortSignal, nowMs: number): Promise<OwnObjects> {
    const sinceMs =
      this.#listedMs === null ? nowMs - ownObjectsLookbackMs : this.#listedMs - listingOverlapMs;
    const recent = await this.#recentLocations(sinceMs);
    const specs = new Map(recent.map((spec) => [JSON.stringify(spec), spec]));
    const name = JSON.stringify(location);
    specs.delete(name);
    const own = await readOwnObjects(this.#open(location), signal, nowMs);
    for (const [other, spec] of specs) {
      const read = await this.#objectsOf(spec, signal, nowMs);
      if (read !== null) this.#read.set(other, { own: read, readAtMs: nowMs });
    }
    this.#listedMs = nowMs;
    const others = [...this.#read].filter(([other]) => other !== name);
    for (const [other, { readAtMs }] of others) {
      if (nowMs - readAtMs > ownObjectsLookbackMs) this.#read.delete(other);
    }
    return mergeOwnObjects([own, ...others.map(([, read]) => read.own)]);
  }

  /**
   * What runs with records in this location have created; null if this worker has no access to the location. A run
   * without access creates nothing, but a run on another host may have access.
   */
  async #objectsOf(
    spec: ConnectorSpec,
    signal: AbortSignal,
    nowMs: number,
  ): Promise<OwnObjects | null> {
    try {
      return await readOwnObjects(this.#open(spec), signal, nowMs);
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      if (error.runCause !== null) return null;
      const { code, path, what, fix } = error;
      const why = `the records of another pipeline cannot be read: ${what}`;
      throw new ConnectorError(code, path, why, fix, { cause: error });
    }
  }
}
