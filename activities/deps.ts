// Dependencies of activities. A worker process has one set.
import type { Client } from '../src/api/client.ts';
import { readMonotonicMs } from '../src/api/clock.ts';
import { RequestCounter } from '../src/api/request-counter.ts';
import { defaultFieldNames, type FieldNames } from '../src/api/requests/field-names.ts';
import type { Workspace } from '../src/api/workspace.ts';
import type { Connector } from '../src/connectors/connector.ts';
import { openConnector } from '../src/connectors/index.ts';
import {
  type RecentLocations,
  WorkspaceRecords,
} from '../src/engine/discovery/workspace-records.ts';
import {
  createPollerContext,
  createRoutedContext,
  createUrgentContext,
  type PollerContext,
} from '../src/engine/polling/poller-context.ts';
import { Semaphore } from '../src/engine/transfer-semaphore.ts';
import { openRunStore } from '../src/features/run-store.ts';
import { routesOf } from '../src/plan/named-operations.ts';
import type { RunCause } from '../src/plan/run/run-cause.ts';
import type { RunContext } from '../src/plan/run/run-context.ts';
import type { RunTimeline } from '../src/plan/run/run-timeline.ts';
import type { ConnectorSpec } from '../src/plan/types.ts';
import type { Environment } from '../src/settings/environment.ts';
import { type OperatorRules, readOperatorRules } from '../src/settings/operator-rules.ts';
import type { ClaimHolder } from '../src/store/claims/claims.ts';
import type { RunStore } from '../src/store/runs/run-store.ts';
import { PollLeader } from './poll-leader.ts';

/** Queries and actions of activities on workflows of the Temporal server. */
export interface WorkflowQueries {
  /** Id of the Temporal server and namespace that the methods below query. Absent if it is not known. */
  readonly namespaceId?: string | undefined;
  /** True if this run, or this shard of the run, is open. Only then are its claims valid. */
  isAlive(holder: ClaimHolder): Promise<boolean>;
  /** True if this shard is open. The run itself may have closed or continued as new. */
  isShardOpen(run: string, shard: number): Promise<boolean>;
  /** Returns why a shard was closed from outside, or null if it closed by itself or the reason is not known. */
  readShardCloseReason(run: string, shard: number): Promise<string | null>;
  /** Finds the newest completed run of the pipeline with the same records location. Null if there is none. */
  findCompletedRun(
    context: Pick<RunContext, 'pipeline' | 'records' | 'workspace'>,
  ): Promise<string | null>;
  /** True if Temporal still waits for the attempt with this task token. The query counts as a heartbeat. */
  isAttemptCurrent(taskToken: Uint8Array): Promise<boolean>;
  /** Reads the plan of a run with this number of shards, the actions of people, and the times of its steps. */
  readTimeline(run: string, shards: number): Promise<RunTimeline>;
  /** Terminates an open shard of this run and waits until the shard has closed. */
  terminateOrphan(run: string, shard: number): Promise<void>;
}

export interface Platform {
  client: Client;
  pollerContext: PollerContext;
}

export interface Deps extends Platform {
  /**
   * Returns the worker's client and poller context, with the operation paths that the run's file sets. Urgent runs have
   * separate pollers, which the throttle of polls for all other runs does not delay.
   */
  platformOf(context: Pick<RunContext, 'operations' | 'urgent'>): Platform;
  /** The workspace of the worker's API key. Null if it was not read from the platform. */
  workspace: Workspace | null;
  fields: FieldNames;
  /** Limits the uploads, downloads and reads that are in flight in this process. */
  transfers: Semaphore;
  connectorOf: (spec: ConnectorSpec) => Connector;
  storeOf(context: RunContext): RunStore;
  /** Counts the requests of a run that no activity has reported yet. */
  requestsOf(run: string): RequestCounter;
  workflows: WorkflowQueries;
  pollLeader: PollLeader;
  /** Lists the hosts that run workers. With `host`, lists only that host if it runs workers. Empty if unknown. */
  listHosts: (host?: string) => Promise<string[]>;
  /** Finds the general pause that holds a pipeline, as a cause of its runs. Null if there is none. */
  findGeneralPause: (pipeline: string) => Promise<RunCause | null>;
  /** The objects that all pipelines of the workspace have created on the platform. */
  workspaceObjects: WorkspaceRecords;
  /** The platform's time, epoch ms. */
  now: () => number;
  /** Monotonic milliseconds, for durations. */
  monotonicNow: () => number;
  /** Values that must never appear in messages. */
  secrets: readonly string[];
  /** Address of a run's page in the Temporal UI. Null if the address of the UI is not configured. */
  runPageUrlOf: (run: string) => string | null;
  /** Address of the team's pages, and the key that signs links to them. Null if not configured. */
  decisionLinks: { origin: string; key: string } | null;
  /** The variables and hosts that pipeline files may refer to, from the worker's environment. */
  operatorRules: OperatorRules;
}

/** More parallel transfers only slow each other down on one machine. */
const maxConcurrentTransfers = 16;
const maxCachedStores = 50;
const maxCachedPlatforms = 50;

type OptionalDeps = Pick<
  Deps,
  'fields' | 'listHosts' | 'runPageUrlOf' | 'decisionLinks' | 'findGeneralPause' | 'now'
>;

/** `now` replaces the platform's time and the monotonic clock in tests. `fields` default to those of the sandbox. */
export interface DepsOptions
  extends Pick<Deps, 'client' | 'workflows' | 'secrets'>,
    Partial<OptionalDeps> {
  workspace?: Workspace;
  environment?: Environment;
  /** @default none: only objects in the run's own records count as created by Renderline */
  recentLocations?: RecentLocations;
}

export function createDeps(options: DepsOptions): Deps {
  const counters = new Map<string, RequestCounter>();
  const connectors = new Map<string, Connector>();
  const stores = new Map<string, RunStore>();
  const platforms = new Map<string, Platform>();
  const { client, workflows, now = () => client.now() } = options;
  const monotonicNow = options.now ?? readMonotonicMs;
  const defaultPlatform: Platform = {
    client,
    pollerContext: createPollerContext(client, monotonicNow),
  };
  const urgentClient = client.urgent();
  const urgentPlatform: Platform = {
    client: urgentClient,
    pollerContext: createUrgentContext(urgentClient, defaultPlatform.pollerContext),
  };
  const connectorOf = (spec: ConnectorSpec) => {
    const name = JSON.stringify(spec);
    const sharedConnector = connectors.get(name) ?? openConnector(spec);
    connectors.set(name, sharedConnector);
    return sharedConnector;
  };
  return {
    ...defaultPlatform,
    platformOf({ operations, urgent }) {
      const basePlatform = urgent ? urgentPlatform : defaultPlatform;
      if (operations === undefined) return basePlatform;
      const name = JSON.stringify([operations, urgent]);
      const cachedPlatform = platforms.get(name);
      if (cachedPlatform) return cachedPlatform;
      if (platforms.size >= maxCachedPlatforms) platforms.clear();
      const routedClient = basePlatform.client.withOperations(routesOf(operations));
      const platform = {
        client: routedClient,
        pollerContext: createRoutedContext(routedClient, basePlatform.pollerContext),
      };
      platforms.set(name, platform);
      return platform;
    },
    workspace: options.workspace ?? null,
    fields: options.fields ?? defaultFieldNames,
    transfers: Semaphore.of(maxConcurrentTransfers),
    connectorOf,
    storeOf(context) {
      const cachedStore = stores.get(context.run);
      if (cachedStore) return cachedStore;
      // A store caches pages of its run. All stores are dropped: most belong to closed runs.
      if (stores.size >= maxCachedStores) stores.clear();
      const { namespaceId: temporal } = workflows;
      const store = openRunStore(connectorOf(context.records), context, { temporal, now });
      stores.set(context.run, store);
      return store;
    },
    requestsOf(run) {
      const counter = counters.get(run) ?? new RequestCounter();
      counters.set(run, counter);
      return counter;
    },
    workflows,
    pollLeader: new PollLeader(),
    listHosts: options.listHosts ?? (async () => []),
    findGeneralPause: options.findGeneralPause ?? (async () => null),
    workspaceObjects: new WorkspaceRecords(
      options.recentLocations ?? (async () => []),
      connectorOf,
    ),
    now,
    monotonicNow,
    secrets: options.secrets,
    runPageUrlOf: options.runPageUrlOf ?? (() => null),
    decisionLinks: options.decisionLinks ?? null,
    operatorRules: readOperatorRules(options.environment ?? {}, client.network),
  };
}
