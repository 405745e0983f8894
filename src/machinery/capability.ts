// The interface of a feature: each feature is a folder with its node types, calls and polls, exported as one object.
import type { CallOptions, Client } from '../api/client.ts';
import type { RequestCounter } from '../api/counter.ts';
import type { FailureTable } from '../failures/define.ts';
import type { Refs } from '../plan/refs.ts';
import type { Asset } from '../plan/types.ts';
import type { RefSlice } from '../store/records/ref-book.ts';
import type { AssetSheet } from '../store/runs/asset-sheets.ts';
import type { AssetPatch } from '../store/runs/shard-pages.ts';
import type { Orphan } from '../store/search/find-orphans.ts';
import type { OwnCheck } from './discovery/own-check.ts';
import type { NodeType, StepType } from './node-type.ts';
import type { Lookout } from './watch/lookout.ts';

export interface Capability {
  readonly name: string;
  readonly nodes: readonly NodeType[];
  /** Steps that only the plans of this feature's nodes use. */
  readonly steps?: readonly StepType[];
  /** Cancels the platform's running work for the assets of a cancelled run. Returns an update per asset whose work goes on. */
  cancel?(sheets: readonly AssetSheet[], context: CancelContext): Promise<AssetPatch[]>;
  /** Returns the assets whose results of earlier runs are missing on the platform; they start again from their files. */
  lost?<A extends Asset>(assets: readonly A[], context: LookContext): Promise<ReadonlySet<A>>;
  /**
   * Reads that check whether the resource behind an id field still exists, outermost resource first.
   * `forget`: all id fields that become invalid with it; a rerun checks assets that have them and drops missing ids.
   */
  readonly reads?: readonly (readonly [
    field: keyof Refs,
    read: Read,
    forget?: readonly (keyof Refs)[],
  ])[];
  readonly clean?: Cleaner;
  /** Decides which of the feature's resources our own runs have created. */
  readonly own?: OwnCheck;
  /** Failures of the feature's nodes. */
  readonly failures?: readonly FailureTable[];
  /** What the store may conclude from the platform ids that the feature gives to assets. */
  readonly refs?: RefSlice;
}

export interface CancelContext {
  readonly client: Client;
  readonly requests: RequestCounter;
  readonly now: () => number;
  /** Throws if this attempt has lost its lease. Called right before an effect that cannot be undone. */
  readonly hold: () => Promise<void>;
}

export interface LookContext {
  readonly lookout: Lookout;
  readonly requests: RequestCounter;
  readonly signal?: AbortSignal;
  readonly now: () => number;
}

export type Read = (client: Client, refs: Refs, options: CallOptions) => Promise<unknown>;

/** Checks which resources of some kinds still exist on the platform, before they are deleted. */
export interface Cleaner {
  readonly kinds: readonly string[];
  look(client: Client, orphans: readonly Orphan[], call: CleanCall): Promise<LookedAtOrphans>;
}

export interface CleanCall {
  readonly scope: RequestCounter;
  readonly signal: AbortSignal;
}

export interface LookedAtOrphans {
  /** Orphans that may be deleted. */
  there: Orphan[];
  /** Models that must stay, because a remaining project uses them. */
  held: { orphan: Orphan; projectId: string }[];
}

export function defineCapability(capability: Capability): Capability {
  return capability;
}
