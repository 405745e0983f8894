// Decisions of people about the pictures of an asset. The record of the asset keeps them.
import { shortHashOf } from '../../plan/helpers/short-hash.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { FeatureIdRules } from '../../store/records/id-rules.ts';
import type { Decision } from '../../store/runs/pictures/approvals.ts';

export interface AssetDecision extends Decision {
  /** Id of the approval node. */
  node: string;
  /** Hash of the outputs that the person saw, from `hashOutputs`. */
  outputs: string;
}

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    /** The last decision of each approval node. */
    decisions?: readonly AssetDecision[];
  }
}

/**
 * Hashes the ids of an asset's outputs, or the id of its job if the wait has not stored the outputs. Every render has
 * new ids, so the hash changes.
 */
export function hashOutputs({ outputs, jobId = '' }: PlatformIds): string {
  return shortHashOf(JSON.stringify(outputs?.map(({ id }) => id).sort() ?? [jobId]));
}

/** True if the last decision at the node, in any run, approved exactly the asset's current outputs. */
export function isAssetApproved(platformIds: PlatformIds, node: string): boolean {
  const last = platformIds.decisions?.find((decision) => decision.node === node);
  // The outputs may have become known since the decision.
  const { outputs: _outputs, ...withoutOutputs } = platformIds;
  const hashes = [platformIds, withoutOutputs].map(hashOutputs);
  return last?.outcome === 'approved' && hashes.includes(last.outputs);
}

export function withDecision(
  { decisions = [] }: PlatformIds,
  decision: AssetDecision,
): AssetDecision[] {
  return [...decisions.filter(({ node }) => node !== decision.node), decision];
}

export const approvalIdRules = {
  // The decisions belong to a render, because a new render needs a new decision.
  ofRender: ['decisions'],
  /** Joins the decisions of parallel approval nodes. */
  merge(platformIds, { decisions }) {
    if (decisions === undefined) return {};
    const joinedDecisions = decisions.reduce(
      (result, item) => withDecision({ decisions: result }, item),
      platformIds.decisions ?? [],
    );
    return { decisions: joinedDecisions };
  },
} satisfies FeatureIdRules;
