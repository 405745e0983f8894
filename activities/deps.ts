// Dependencies of activities; one set for a worker process.
import type { Client } from '../src/api/client.ts';
import { monotonicMs } from '../src/api/clock.ts';
import { RequestCounter } from '../src/api/counter.ts';
import { defaultFieldNames, type FieldNames } from '../src/api/field-names.ts';
import type { Workspace } from '../src/api/workspace.ts';
import { openRunStore } from '../src/capabilities/run-store.ts';
import type { Connector } from '../src/connectors/connector.ts';
import { openConnector } from '../src/connectors/index.ts';
import {
  NeighbourRecords,
  type RecentPlaces,
} from '../src/machinery/discovery/neighbour-records.ts';
import { Slots } from '../src/machinery/transfer-slots.ts';
import {
  createLookout,
  type Lookout,
  lookoutWith,
  urgentLookout,
} from '../src/machinery/watch/lookout.ts';
import { routesOf } from '../src/plan/named-operations.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import type { RunStory } from '../src/plan/run-story.ts';
import type { ConnectorSpec } from '../src/plan/types.ts';
import type { Environment } from '../src/settings/environment.ts';
import { type Guard, guardOf } from '../src/settings/guard.ts';
import type { ClaimHolder } from '../src/store/claims/claims.ts';
import { type RunStore } from '../src/store/runs/run-store.ts';
import { LookoutPost } from './lookout-post.ts';

/** Questions of activities about workflows, answered by Temporal. */
export interface OpenWorkflows {
  /** Id of the server and namespace that know whether a run goes on. Absent: not known. */
  readonly namespaceId?: string | undefined;
  /** Does this run, or this shard of it, still go on? Decides whether its claims hold. */
  isAlive(holder: ClaimHolder): Promise<boolean>;
  /** Does this shard still go on? Its run may have ended, or continued as new. */
  shardIsOpen(run: string, shard: number): Promise<boolean>;
  /** Why a shard was ended by other than itself; null where it was not, or nobody knows. */
  whyEnded(run: string, shard: number): Promise<string | null>;
  /** True where Temporal still waits for the attempt with this token. It counts as a heartbeat. */
  isCurrent(taskToken: Uint8Array): Promise<boolean>;
  /** What Temporal knows of a run of so many shards beside its result. */
  story(run: string, shards: number): Promise<RunStory>;
  /** Ends a shard of this run that goes on; waits until it has ended. */
  endStray(run: string, shard: number): Promise<void>;
}

/** The client and the looks with which a run asks the platform. */
export interface Platform {
  client: Client;
  lookout: Lookout;
}

export interface Deps extends Platform {
  /**
   * The worker's client and looks, with the paths that the run's file names for operations. Urgent runs have looks of their
   * own, which need not wait until one at everything is worth its price.
   */
  platformOf(context: Pick<RunContext, 'operations' | 'urgent'>): Platform;
  /** That of the worker's key; null: nobody has asked. */
  workspace: Workspace | null;
  fields: FieldNames;
  /** Bounds uploads, downloads and looks of the process. */
  transfers: Slots;
  connector: (spec: ConnectorSpec) => Connector;
  store(context: RunContext): RunStore;
  /** Requests of a run that no activity has reported yet. */
  requestsOf(run: string): RequestCounter;
  workflows: OpenWorkflows;
  lookoutPost: LookoutPost;
  /** Hosts that workers run on; of one host: that, where they do. Empty where nobody can tell. */
  hosts: (host?: string) => Promise<string[]>;
  /** What all pipelines of the workspace have made. */
  neighbours: NeighbourRecords;
  /** The platform's time, epoch ms. */
  now: () => number;
  /** Monotonic, ms: for durations. */
  elapsed: () => number;
  /** Values that must never show. */
  secrets: readonly string[];
  /** Variables and hosts that files may name, by the worker's environment. */
  guard: Guard;
}

/** Transfers in flight; more only make each slower on one machine. */
const transfersAtOnce = 16;
const storesRemembered = 50;
const platformsRemembered = 50;

export interface DepsOptions {
  client: Client;
  workflows: OpenWorkflows;
  secrets: readonly string[];
  workspace?: Workspace;
  /** @default as the sandbox names them */
  fields?: FieldNames;
  environment?: Environment;
  hosts?: Deps['hosts'];
  /** @default none: only what has the same records counts as made by us */
  recentPlaces?: RecentPlaces;
  /** In place of the platform's time and the monotonic clock, for tests. */
  now?: () => number;
}

export function createDeps(options: DepsOptions): Deps {
  const counters = new Map<string, RequestCounter>();
  const connectors = new Map<string, Connector>();
  const stores = new Map<string, RunStore>();
  const platforms = new Map<string, Platform>();
  const { client, workflows, now = () => client.now() } = options;
  const elapsed = options.now ?? monotonicMs;
  const own: Platform = { client, lookout: createLookout(client, elapsed) };
  const first = client.urgent();
  const urgentOnes: Platform = { client: first, lookout: urgentLookout(first, own.lookout) };
  const connector = (spec: ConnectorSpec) => {
    const name = JSON.stringify(spec);
    const open = connectors.get(name) ?? openConnector(spec);
    connectors.set(name, open);
    return open;
  };
  return {
    ...own,
    platformOf({ operations, urgent }) {
      const plain = urgent ? urgentOnes : own;
      if (operations === undefined) return plain;
      const name = JSON.stringify([operations, urgent]);
      const known = platforms.get(name);
      if (known) return known;
      if (platforms.size >= platformsRemembered) platforms.clear();
      const named = plain.client.withOperations(routesOf(operations));
      const platform = { client: named, lookout: lookoutWith(named, plain.lookout) };
      platforms.set(name, platform);
      return platform;
    },
    workspace: options.workspace ?? null,
    fields: options.fields ?? defaultFieldNames,
    transfers: Slots.of(transfersAtOnce),
    connector,
    store(context) {
      const known = stores.get(context.run);
      if (known) return known;
      // Stores remember the pages of their run; runs that ended long ago are let go.
      if (stores.size >= storesRemembered) stores.clear();
      const { namespaceId: temporal } = workflows;
      const store = openRunStore(connector(context.records), context, { temporal, now });
      stores.set(context.run, store);
      return store;
    },
    requestsOf(run) {
      const counter = counters.get(run) ?? new RequestCounter();
      counters.set(run, counter);
      return counter;
    },
    workflows,
    lookoutPost: new LookoutPost(),
    hosts: options.hosts ?? (async () => []),
    neighbours: new NeighbourRecords(options.recentPlaces ?? (async () => []), connector),
    now,
    elapsed,
    secrets: options.secrets,
    guard: guardOf(options.environment ?? {}, client.network),
  };
}
