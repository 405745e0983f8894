// Writes decisions about waiting assets, and signals the run that they exist.
import type { Client } from '@temporalio/client';
import { removeControls } from '../../api/responses/plain-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import { type DecisionSignal, maxReasonLength } from '../../plan/contract/audit-contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { Decision } from '../../store/runs/pictures/approvals.ts';
import type { HeldPicture } from '../../store/runs/pictures/held-pictures.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { RenderlineError, usageError } from '../renderline-error.ts';
import { runEndedError } from '../runs/control.ts';
import { isNotFoundError, readSnapshot } from '../runs/run-snapshot.ts';
import { nameOfWaiting, type WaitingAsset } from '../runs/waiting-assets.ts';
import {
  type ApprovalVerdict,
  type AssetVerdict,
  countVerdicts,
  type VerdictCounts,
  type VerdictOn,
} from './verdicts.ts';

const maxShardsNamed = 100;
/**
 * A run whose history has this many events receives no more decision signals. A signal adds about ten events, and the
 * server allows 51,200 events (and 10,000 signals). A person who decides about thousands of assets one by one must not
 * exhaust these limits.
 */
const maxHistoryEvents = 10_000;

/** A decision that somebody else made first. It remains in force. */
export interface EarlierDecision extends Decision {
  key: string;
  node: string;
}

interface DecisionResult {
  decided: VerdictCounts;
  earlier: EarlierDecision[];
}

/** @throws RenderlineError if something is rejected without a reason, or if the reason is too long */
export function checkReason(
  verdicts: readonly VerdictOn<unknown>[],
  reason: string | undefined,
): void {
  const length = reason?.length ?? 0;
  if (length > maxReasonLength)
    throw usageError(
      `The reason has ${length} characters; the maximum is ${maxReasonLength}.`,
      `Shorten the reason to ${maxReasonLength} characters.`,
    );
  const { rejected } = countVerdicts(verdicts);
  if (rejected > 0 && (reason ?? '').trim() === '')
    throw new RenderlineError(
      commandFailures.REJECTED_WITHOUT_REASON,
      `${rejected === 1 ? 'One asset is' : `${rejected} assets are`} rejected without a reason.`,
    );
}

/** Returns the reason of each decision. It applies only to rejected assets, or to all assets if none is rejected. */
function createReasonFinder(
  verdicts: readonly VerdictOn<unknown>[],
  reason: string | undefined,
): (isRejection: boolean) => Pick<Decision, 'reason'> {
  const isAboutRejected = countVerdicts(verdicts).rejected > 0;
  return (isRejection) =>
    reason !== undefined && (isRejection || !isAboutRejected) ? { reason } : {};
}

export interface DecisionCause {
  reason: string | undefined;
  nowMs: number;
}

/** Creates the note with who decides now and why. The reason must be one line, because messages contain it. */
function createDecisionNote(
  client: Client,
  { reason, nowMs }: DecisionCause,
): Omit<Decision, 'outcome'> {
  const line = removeControls(reason ?? '').trim();
  return {
    by: client.options.identity,
    at: new Date(nowMs).toISOString(),
    ...(line === '' ? {} : { reason: line }),
  };
}

/**
 * Stores one page of decisions per shard and node, so that the signal stays small for thousands of assets. The first
 * decision about an asset remains in force, so repeating a decision changes nothing.
 * @throws RenderlineError if the run has ended, if assets are rejected without a reason, or if the reason is too long
 */
export async function decide(
  client: Client,
  run: string,
  { approvals }: Pick<RunStore, 'approvals'>,
  verdicts: readonly AssetVerdict[],
  cause: DecisionCause,
): Promise<DecisionResult> {
  checkReason(verdicts, cause.reason);
  const note = createDecisionNote(client, cause);
  const decisionsByName = await readDecisions(approvals, verdicts);
  const openVerdicts = verdicts.filter(({ asset }) => !decisionsByName.has(nameOfWaiting(asset)));
  await writePages(approvals, openVerdicts, note, createReasonFinder(verdicts, note.reason));
  // The decisions are read again, because somebody else may have decided at the same moment.
  for (const [name, decision] of await readDecisions(approvals, openVerdicts)) {
    if (decision.by !== note.by || decision.at !== note.at) decisionsByName.set(name, decision);
  }
  const ownVerdicts = openVerdicts.filter(
    ({ asset }) => !decisionsByName.has(nameOfWaiting(asset)),
  );
  const decidedCounts = countVerdicts(ownVerdicts);
  const decidedAssets = ownVerdicts.flatMap(({ asset, verdict }) =>
    verdict === 'wait' ? [] : [asset],
  );
  if (decidedAssets.length > 0)
    await sendSignal(client, run, createSignal(decidedAssets, decidedCounts, note));
  const earlier = verdicts.flatMap(({ asset, verdict }) => {
    const decision = verdict === 'wait' ? undefined : decisionsByName.get(nameOfWaiting(asset));
    return decision === undefined ? [] : [{ key: asset.key, node: asset.node, ...decision }];
  });
  return { decided: decidedCounts, earlier };
}

/** Reads all stored decisions at the nodes of the given assets, by asset name. */
async function readDecisions(
  approvals: RunStore['approvals'],
  verdicts: readonly AssetVerdict[],
): Promise<Map<string, Decision>> {
  const decisionsByName = new Map<string, Decision>();
  for (const node of new Set(verdicts.map(({ asset }) => asset.node))) {
    for (const [key, decision] of await approvals.decisions(node))
      decisionsByName.set(nameOfWaiting({ node, key }), decision);
  }
  return decisionsByName;
}

async function writePages(
  approvals: RunStore['approvals'],
  verdicts: readonly AssetVerdict[],
  { by, at }: Omit<Decision, 'outcome'>,
  reasonOf: ReturnType<typeof createReasonFinder>,
): Promise<void> {
  const decidedVerdicts = verdicts.filter(({ verdict }) => verdict !== 'wait');
  const pages = groupBy(decidedVerdicts, ({ asset }) => JSON.stringify([asset.shard, asset.node]));
  await mapBounded([...pages.values()], async (page) => {
    const [first] = page;
    if (first === undefined) return;
    const { shard, node } = first.asset;
    const keys = (wantedVerdict: ApprovalVerdict) =>
      page.flatMap(({ asset, verdict }) => (verdict === wantedVerdict ? [asset.key] : []));
    const [approved, rejected] = [keys('approve'), keys('reject')];
    const reasonField = reasonOf(rejected.length > 0);
    await approvals.decide({ shard, node, by, at, ...reasonField, approved, rejected });
  });
}

function createSignal(
  assets: readonly WaitingAsset[],
  { approved, rejected }: DecisionResult['decided'],
  { reason }: Omit<Decision, 'outcome'>,
): DecisionSignal {
  const shards = [...new Set(assets.map(({ shard }) => shard))];
  return {
    steps: [...new Set(assets.map(({ node }) => node))],
    ...(shards.length > maxShardsNamed ? {} : { shards }),
    approved,
    rejected,
    ...omitUndefined({ reason }),
  };
}

/** Signals an open run unless its history is too long. In that case, the run reads the decisions at its next poll. */
async function sendSignal(client: Client, run: string, signal: DecisionSignal): Promise<void> {
  const handle = client.workflow.getHandle(run);
  try {
    await callWithTimeout(client, responseTimeoutMs.usual, async () => {
      const { historyLength, status } = await handle.describe();
      // A signal to an ended run is always sent, because the server then refuses it and the person learns of the end.
      if (historyLength < maxHistoryEvents || status.name !== 'RUNNING')
        await handle.signal(messages.decide, signal);
    });
  } catch (error) {
    if (!isNotFoundError(error)) throw error;
    throw runEndedError(await readSnapshot(client, run), 'approve');
  }
}

export type PictureVerdict = VerdictOn<HeldPicture>;

/**
 * Writes the decisions. The run must be resumed afterwards, so that its exports read the decisions.
 * @returns numbers of pictures, and decisions that somebody else made first
 * @throws RenderlineError if pictures are rejected without a reason, or if the reason is too long
 */
export async function decidePictures(
  client: Client,
  { heldPictures }: Pick<RunStore, 'heldPictures'>,
  verdicts: readonly PictureVerdict[],
  cause: DecisionCause,
): Promise<DecisionResult> {
  checkReason(verdicts, cause.reason);
  const { reason, ...note } = createDecisionNote(client, cause);
  const reasonOf = createReasonFinder(verdicts, reason);
  const earlierDecisions: EarlierDecision[] = [];
  const ownVerdicts = await mapBounded(verdicts, async (pictureVerdict) => {
    const { asset, verdict } = pictureVerdict;
    if (verdict === 'wait') return [pictureVerdict];
    const outcome = verdict === 'approve' ? ('approved' as const) : ('rejected' as const);
    const decision = { outcome, ...note, ...reasonOf(outcome === 'rejected') };
    const storedDecision = await heldPictures.decide(asset, decision);
    if (storedDecision === decision) return [pictureVerdict];
    if (storedDecision !== null)
      earlierDecisions.push({ key: asset.key, node: asset.node, ...storedDecision });
    return [];
  });
  return { decided: countVerdicts(ownVerdicts.flat()), earlier: earlierDecisions };
}
