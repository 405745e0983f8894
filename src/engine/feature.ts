// The interface of a feature. Each feature is a folder with its node types, calls and polls, exported as one object.
import type { CallOptions, Client } from '../api/client.ts';
import type { RequestCounter } from '../api/request-counter.ts';
import type { FailureTable } from '../failures/define.ts';
import type { PlatformIds } from '../plan/platform-ids.ts';
import type { Asset } from '../plan/types.ts';
import type { FeatureIdRules } from '../store/records/id-rules.ts';
import type { AssetState } from '../store/runs/asset-states.ts';
import type { AssetUpdate } from '../store/runs/shard-pages.ts';
import type { Orphan } from '../store/search/find-orphans.ts';
import type { OwnershipCheck } from './discovery/ownership-check.ts';
import type { NodeType, StepType } from './node-type.ts';
import type { PollerContext } from './polling/poller-context.ts';

export interface Feature {
  readonly name: string;
  readonly nodes: readonly NodeType[];
  /** Step types besides the nodes' own steps. Nodes of this or another feature compile to them. */
  readonly steps?: readonly StepType[];
  /** Cancels platform work of a cancelled run. Returns an update for each asset whose work could not be cancelled. */
  cancel?(states: readonly AssetState[], context: CancelContext): Promise<AssetUpdate[]>;
  /** Returns assets whose results from earlier runs are missing on the platform. They start again from their files. */
  findLost?<A extends Asset>(assets: readonly A[], context: PollContext): Promise<ReadonlySet<A>>;
  /**
   * Reads that check whether the resource of an id field still exists, outermost resource first. A later run performs
   * only the reads with `forget`, which lists the id fields to drop if the resource is missing.
   */
  readonly existenceChecks?: readonly (readonly [
    field: keyof PlatformIds,
    read: Read,
    forget?: readonly (keyof PlatformIds)[],
  ])[];
  readonly cleaner?: Cleaner;
  /** Determines which of the feature's resources were created by our own runs. */
  readonly ownership?: OwnershipCheck;
  readonly failures?: readonly FailureTable[];
  /** Rules for the platform ids that the feature assigns to assets, for example which ids a later run may reuse. */
  readonly idRules?: FeatureIdRules;
}

export interface CancelContext {
  readonly client: Client;
  readonly requests: RequestCounter;
  readonly now: () => number;
  /** Throws if this attempt has lost its lease. Called right before an effect that cannot be undone. */
  readonly assertLease: () => Promise<void>;
}

export interface PollContext {
  readonly pollerContext: PollerContext;
  readonly requests: RequestCounter;
  readonly signal?: AbortSignal;
  readonly now: () => number;
}

export type Read = (
  client: Client,
  platformIds: PlatformIds,
  options: CallOptions,
) => Promise<unknown>;

/** Checks which orphaned resources of the feature's kinds still exist, before they are deleted. */
export interface Cleaner {
  readonly kinds: readonly string[];
  check(client: Client, orphans: readonly Orphan[], call: CleanCall): Promise<CheckedOrphans>;
}

export interface CleanCall {
  readonly requestCounter: RequestCounter;
  readonly signal: AbortSignal;
}

export interface CheckedOrphans {
  /** Orphans that may be deleted. */
  existing: Orphan[];
  /** Models that must be kept, because a remaining project uses them. */
  inUse: { orphan: Orphan; projectId: string }[];
}

export function defineFeature(feature: Feature): Feature {
  return feature;
}
