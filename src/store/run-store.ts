// Everything a run keeps, below `.renderline/<pipeline>/` of the records connector.
import type { Connector } from '../connectors/connector.ts';
import type { RunContext, SettledAsset } from '../plan/contract.ts';
import type { Refs } from '../plan/types.ts';
import { Claims } from './claims.ts';
import { takeEpoch } from './epochs.ts';
import { answersOfShard, Intents, intentsFolder, type Origin } from './intents.ts';
import { JsonObjects } from './json-objects.ts';
import { type LastRun, lastRunName, lastRunSchema } from './last-run.ts';
import { Manifest } from './manifest.ts';
import { pipelineSlug } from './object-name.ts';
import { Origins } from './origins.ts';
import { Records } from './records.ts';
import { Results } from './results.ts';
import { type SourceHashes, sourceHashesOf } from './source-hashes.ts';
import { TakenPaths } from './taken-paths.ts';

/** What the store must know of a run. */
export type StoreContext = Pick<RunContext, 'run' | 'lineage' | 'pipeline' | 'recipe'>;

export interface RunStoreOptions {
  now?: () => number;
}

export class RunStore {
  readonly context: StoreContext;
  readonly records: Records;
  readonly claims: Claims;
  readonly manifest: Manifest;
  readonly results: Results;
  readonly paths: TakenPaths;
  readonly now: () => number;
  readonly sourceHashes: SourceHashes;
  readonly #objects: JsonObjects;
  readonly #origins: Origins;

  constructor(connector: Connector, context: StoreContext, options: RunStoreOptions = {}) {
    const objects = new JsonObjects(connector, `.renderline/${pipelineSlug(context.pipeline)}`);
    const { run, lineage, recipe } = context;
    this.context = context;
    this.now = options.now ?? Date.now;
    this.records = new Records(objects);
    this.claims = new Claims(objects, { run, lineage, recipe }, this.now);
    this.manifest = new Manifest(objects, run);
    this.results = new Results(objects);
    this.paths = new TakenPaths(objects);
    this.sourceHashes = sourceHashesOf(connector);
    this.#objects = objects;
    this.#origins = new Origins(objects, run);
  }

  /** Intents of one step of one shard. */
  intents(shard: number, step: string): Intents {
    const folder = intentsFolder({ run: this.context.run, shard }, step);
    const origins = async () =>
      (await this.#origins.read(shard)).map((origin) => intentsFolder(origin, step));
    return new Intents(this.#objects, folder, origins);
  }

  /** Remembers where a shard's assets were taken over from. */
  keepOrigins(shard: number, origins: readonly Origin[]): Promise<void> {
    return this.#origins.write(shard, origins);
  }

  /** Platform ids that finished calls of a shard, perhaps of a dead run, have yielded. */
  answersOfShard(origin: Origin): Promise<Map<string, Refs>> {
    return answersOfShard(this.#objects, origin);
  }

  /** How the assets of a run ended. */
  readResults(run: string): AsyncIterable<SettledAsset> {
    return this.results.read(run);
  }

  /** A number for a run that does this one again, unlike that of any other. */
  async nextEpoch(): Promise<{ lineage: string; epoch: number }> {
    const lineage = await this.manifest.lineage();
    const at = new Date(this.now()).toISOString();
    return {
      lineage,
      epoch: await takeEpoch(this.#objects, { lineage, of: this.context.run, at }),
    };
  }

  /** The pipeline's newest run, null before the first one. */
  lastRun(): Promise<LastRun | null> {
    return this.#objects.read<LastRun>(lastRunName, lastRunSchema);
  }

  /** Makes this run the newest one. */
  async keepLastRun(facts: Pick<LastRun, 'parameters' | 'counts'>): Promise<void> {
    const { run, recipe } = this.context;
    const startedAt = new Date(this.now()).toISOString();
    const { parameters, counts } = facts;
    const last: LastRun = { schema: lastRunSchema, run, recipe, startedAt, parameters, counts };
    await this.#objects.write(lastRunName, last);
  }
}

/** Opens the store of a run; nothing is read or written before its first use. */
export function openRunStore(
  connector: Connector,
  context: StoreContext,
  options?: RunStoreOptions,
): RunStore {
  return new RunStore(connector, context, options);
}
