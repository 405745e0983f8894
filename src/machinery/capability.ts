// The interface of a capability: one folder a subject, one object a folder.
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
  /** Steps that only the plans of its nodes name. */
  readonly steps?: readonly StepType[];
  /** Cancels on the platform what assets of a cancelled run still have under way; says of each asset what goes on. */
  cancel?(sheets: readonly AssetSheet[], context: CancelContext): Promise<AssetPatch[]>;
  /** Assets whose work of earlier runs is not on the platform any more: they are taken up again from their files. */
  lost?<A extends Asset>(assets: readonly A[], context: LookContext): Promise<ReadonlySet<A>>;
  /**
   * Reads that show whether what an asset names by a field is there, the outermost first.
   * `forget`: all refs that go with it; a rerun looks for what has them, and does without what is gone.
   */
  readonly reads?: readonly (readonly [
    field: keyof Refs,
    read: Read,
    forget?: readonly (keyof Refs)[],
  ])[];
  readonly clean?: Cleaner;
  /** Tells which of its things runs of ours have made. */
  readonly own?: OwnCheck;
  /** How its work can end badly. */
  readonly failures?: readonly FailureTable[];
  /** Conclusions that the store may draw from the refs that it gives to assets. */
  readonly refs?: RefSlice;
}

export interface CancelContext {
  readonly client: Client;
  readonly requests: RequestCounter;
  readonly now: () => number;
  /** Called right before an effect that cannot be taken back. */
  readonly hold: () => Promise<void>;
}

export interface LookContext {
  readonly lookout: Lookout;
  readonly requests: RequestCounter;
  readonly signal?: AbortSignal;
  readonly now: () => number;
}

export type Read = (client: Client, refs: Refs, options: CallOptions) => Promise<unknown>;

/** Looks which things of some kinds the platform still has, before they are deleted. */
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
  /** Models that stay: a project that stays has them. */
  held: { orphan: Orphan; projectId: string }[];
}

export function defineCapability(capability: Capability): Capability {
  return capability;
}
