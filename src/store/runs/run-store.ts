// Everything that a run stores, below `.renderline/<pipeline>/` of the records connector.
import type { Connector } from '../../connectors/connector.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { RunContext } from '../../plan/run/run-context.ts';
import { type FinishedCall, FinishedCalls } from '../calls/finished-calls.ts';
import {
  callsOfShard,
  compareByCreation,
  type Intent,
  Intents,
  intentsFolderOf,
  isIntentHandledBy,
  type Origin,
} from '../calls/intents.ts';
import { type ClaimOwner, Claims } from '../claims/claims.ts';
import { Origins } from '../claims/shard-origins.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import { JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { encodeKey, numberName, pipelineSlugOf } from '../objects/object-name.ts';
import type { IdRules } from '../records/id-rules.ts';
import { LibraryItems } from '../records/library-items.ts';
import { PathOwners } from '../records/path-owners.ts';
import { Recipes } from '../records/recipes.ts';
import { Records } from '../records/records.ts';
import { sourceHashesOf } from '../records/source-hashes.ts';
import { type LastRun, lastRunName, lastRunSchema } from './last-run.ts';
import { ParameterSets } from './parameter-sets.ts';
import { Approvals } from './pictures/approvals.ts';
import { FailedImages } from './pictures/failed-images.ts';
import { HeldPictures } from './pictures/held-pictures.ts';
import { openPictureChanges } from './pictures/picture-changes.ts';
import { Publications } from './publications/publications.ts';
import { PublishedZips } from './publications/published-zips.ts';
import { Results } from './results.ts';
import { RunAssets } from './run-assets.ts';
import { pageCacheOf, ShardPages } from './shard-pages.ts';
import { SharedValues } from './shared-values.ts';
import { type TransferredFile, TransferredFiles, transferLogPath } from './transferred-files.ts';
import { openVerifyPages } from './verify-pages.ts';
import { Withdrawals } from './withdrawals.ts';

/** The part of a run's context that the store needs. */
export type StoreContext = Pick<RunContext, 'run' | 'lineage' | 'pipeline' | 'recipe'>;

export interface RunStoreOptions {
  now?: () => number;
  /** Id of the run's Temporal namespace. Only workers set it. */
  temporal?: string | undefined;
}

interface StoredEpoch {
  lineage: string;
  /** The run that is retried. */
  of: string;
  /** Time in ISO 8601 format. */
  at: string;
}

/** Base class of the stores of a run. */
class StoreBase {
  readonly context: StoreContext;
  readonly idRules: IdRules;
  readonly now: () => number;
  protected readonly claimOwner: ClaimOwner;
  protected readonly connector: Connector;
  protected readonly objects: JsonObjects;

  constructor(
    connector: Connector,
    context: StoreContext,
    idRules: IdRules,
    { now = Date.now, temporal }: RunStoreOptions = {},
  ) {
    this.context = context;
    this.idRules = idRules;
    this.now = now;
    this.connector = connector;
    const { run, lineage, recipe } = context;
    this.claimOwner = { run, lineage, recipe, ...omitUndefined({ temporal }) };
    this.objects = new JsonObjects(connector, `.renderline/${pipelineSlugOf(context.pipeline)}`);
  }
}

export class RunStore extends StoreBase {
  readonly records = new Records(this.objects);
  readonly claims = new Claims(this.objects, this.claimOwner, this.now);
  readonly runAssets = new RunAssets(this.objects, this.context.run);
  readonly results = new Results(this.objects, this.now);
  readonly pathOwners = new PathOwners(this.objects);
  readonly parameterSets = new ParameterSets(this.objects);
  readonly recipes = new Recipes(this.objects, this.context.recipe);
  readonly verifyPages = openVerifyPages(this.objects, this.context.run);
  readonly pictureChanges = openPictureChanges(this.objects, this.context.run);
  readonly heldPictures = new HeldPictures(this.objects, this.context.run);
  readonly failedImages = new FailedImages(this.objects, this.context.run);
  readonly approvals = new Approvals(this.objects, this.context.run);
  readonly withdrawals = new Withdrawals(this.objects, this.context.run);
  readonly sharedValues = new SharedValues(this.objects, this.context.run);
  readonly libraryItems = new LibraryItems(this.objects);
  readonly publications = new Publications(this.objects, this.context.run);
  readonly publishedZips = new PublishedZips(this.objects);
  readonly sourceHashes = sourceHashesOf(this.connector);
  /** Idempotency keys of calls whose last try by this process certainly did nothing on the platform. */
  readonly unsent = new Set<string>();
  readonly #origins = new Origins(this.objects, this.context.run);
  readonly #finishedCalls = new FinishedCalls(this.objects);

  runAssetsOf(run: string): RunAssets {
    return run === this.context.run ? this.runAssets : new RunAssets(this.objects, run);
  }

  intents(shard: number, step: string): Intents {
    const folder = intentsFolderOf({ run: this.context.run, shard }, step);
    const inherited = async () => {
      const { from, atMs } = await this.#origins.read(shard);
      return { folders: from.map((origin) => intentsFolderOf(origin, step)), atMs };
    };
    return new Intents(this.objects, { run: this.context.run, folder, inherited });
  }

  /**
   * Returns files that the work with this name has transferred in a shard.
   * @param begun true if an earlier attempt may have transferred some, even in a run whose assets were taken over
   */
  async transferredFiles<File extends TransferredFile>(
    { shard, name }: { shard: number; name: string },
    begun: boolean,
  ): Promise<TransferredFiles<File>> {
    const pathIn = (origin: Origin) => transferLogPath(origin, name);
    const path = pathIn({ run: this.context.run, shard });
    if (!begun) return TransferredFiles.start(this.objects, path);
    const { from } = await this.#origins.read(shard);
    return TransferredFiles.resume(this.objects, path, from.map(pathIn));
  }

  pages(shard: number): ShardPages {
    return new ShardPages(this.objects, pageCacheOf(this.connector), this.context.run, shard);
  }

  /** Returns the calls of a shard, and of the shards that its assets were taken over from, oldest first. */
  callsOf(shard: number): Promise<Intent[]> {
    return this.callsOfShard({ run: this.context.run, shard });
  }

  async finishedCallsOf(shard: number): Promise<FinishedCall[]> {
    const { from } = await this.#origins.read(shard);
    const shards = [{ run: this.context.run, shard }, ...from];
    return (await mapBounded(shards, (origin) => this.#finishedCalls.of(origin))).flat();
  }

  /** Like `callsOf`, for a shard of any run, even a dead one. */
  async callsOfShard({ run, shard }: Origin): Promise<Intent[]> {
    const [ownCalls, { from }] = await Promise.all([
      callsOfShard(this.objects, { run, shard }),
      new Origins(this.objects, run).read(shard),
    ]);
    const originCalls = await mapBounded(from, (origin) => callsOfShard(this.objects, origin));
    const inherited = originCalls.flat().map((call) => ({ ...call, isInherited: true }));
    return [...ownCalls, ...inherited].sort(compareByCreation);
  }

  /** Stores where a shard's assets were taken over from, and since when (ISO 8601). */
  writeOrigins(shard: number, origins: readonly Origin[], takenAt?: string): Promise<void> {
    return this.#origins.write(shard, origins, takenAt ?? new Date(this.now()).toISOString());
  }

  /** Returns the calls of a shard that the given run, perhaps a dead one, has opened or closed. Oldest first. */
  async callsHandledByRun(origin: Origin): Promise<Intent[]> {
    const calls = await this.callsOfShard(origin);
    return calls.filter((call) => isIntentHandledBy(call, origin.run));
  }

  /**
   * Reserves the number of a new rerun of this run. Numbers start from 1, are unique in the run's lineage, and are
   * never reused. The number is part of every idempotency key, so that reruns never share a key.
   */
  async nextEpoch(): Promise<{ lineage: string; epoch: number }> {
    const lineage = (await this.runAssets.head())?.lineage ?? this.context.run;
    const folder = `lineages/${encodeKey(lineage)}`;
    const epochs = new JsonFolder<StoredEpoch>(this.objects, folder, 'renderline/epoch/v1');
    const takenEpochs = (await epochs.names()).map((name) => Number.parseInt(name, 10));
    const entry = { lineage, of: this.context.run, at: new Date(this.now()).toISOString() };
    for (let epoch = Math.max(0, ...takenEpochs) + 1; ; epoch += 1) {
      const outcome = await epochs.write(numberName(epoch, 5), entry, { ifAbsent: true });
      if (outcome === 'written') return { lineage, epoch };
    }
  }

  /** Returns the pipeline's newest run that took all assets, or null before the first one. */
  lastRun(): Promise<LastRun | null> {
    return this.objects.read<LastRun>(lastRunName, lastRunSchema);
  }

  async writeLastRun(facts: Pick<LastRun, 'parameters' | 'counts'>): Promise<void> {
    const { run, recipe } = this.context;
    const startedAt = new Date(this.now()).toISOString();
    const { parameters, counts } = facts;
    const last: LastRun = { schema: lastRunSchema, run, recipe, startedAt, parameters, counts };
    await this.objects.write(lastRunName, last);
  }
}
