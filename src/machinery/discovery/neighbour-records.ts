// What all pipelines of a workspace have made, wherever each keeps its records. Otherwise a pipeline that begins with
// events would render, and pay for, what the pipeline beside it has just uploaded.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import {
  type OwnObjects,
  ownLookBackMs,
  ownObjects,
  ownOfAll,
} from '../../store/calls/own-objects.ts';

/** Where runs of the workspace keep their records that are open, or have ended since, ms since the epoch. */
export type RecentPlaces = (sinceMs: number) => Promise<ConnectorSpec[]>;

/** Temporal lists a run a little after it has ended, and its clock may be another. */
const listedLateMs = 5 * 60_000;

interface ReadPlace {
  own: OwnObjects;
  readMs: number;
}

/** One for each worker process: places in which no run goes on are read once. */
export class NeighbourRecords {
  readonly #recentPlaces: RecentPlaces;
  readonly #open: (spec: ConnectorSpec) => Connector;
  readonly #read = new Map<string, ReadPlace>();
  #listedMs: number | null = null;

  constructor(recentPlaces: RecentPlaces, open: (spec: ConnectorSpec) => Connector) {
    this.#recentPlaces = recentPlaces;
    this.#open = open;
  }

  /**
   * What runs with records in this place, and in those of the other pipelines, have made.
   * @throws ConnectorError where a place cannot be read now
   */
  async objects(place: ConnectorSpec, signal: AbortSignal, nowMs: number): Promise<OwnObjects> {
    const sinceMs = this.#listedMs === null ? nowMs - ownLookBackMs : this.#listedMs - listedLateMs;
    const recent = await this.#recentPlaces(sinceMs);
    const specs = new Map(recent.map((spec) => [JSON.stringify(spec), spec]));
    const name = JSON.stringify(place);
    specs.delete(name);
    const own = await ownObjects(this.#open(place), signal, nowMs);
    for (const [other, spec] of specs) {
      const read = await this.#objectsOf(spec, signal, nowMs);
      if (read !== null) this.#read.set(other, { own: read, readMs: nowMs });
    }
    this.#listedMs = nowMs;
    const others = [...this.#read].filter(([other]) => other !== name);
    for (const [other, { readMs }] of others) {
      if (nowMs - readMs > ownLookBackMs) this.#read.delete(other);
    }
    return ownOfAll([own, ...others.map(([, read]) => read.own)]);
  }

  /**
   * null where this worker has no access. Runs write to their records before each call, so those that have no access either
   * have made nothing.
   */
  async #objectsOf(
    spec: ConnectorSpec,
    signal: AbortSignal,
    nowMs: number,
  ): Promise<OwnObjects | null> {
    try {
      return await ownObjects(this.#open(spec), signal, nowMs);
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      if (error.runCause !== null) return null;
      const { code, path, what, fix } = error;
      const why = `what another pipeline has made cannot be read: ${what}`;
      throw new ConnectorError(code, path, why, fix, { cause: error });
    }
  }
}
