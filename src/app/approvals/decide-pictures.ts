// Decides about pictures that a run holds back because they changed a lot.
import type { Client } from '@temporalio/client';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { HeldPicture } from '../../store/runs/pictures/held-pictures.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { checkReason, createDecisionNote, type EarlierDecision, reasonFor } from './decide.ts';
import { countVerdicts, type VerdictCounts, type VerdictOn } from './verdicts.ts';

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
  reason: string | undefined,
): Promise<{ decided: VerdictCounts; earlier: EarlierDecision[] }> {
  checkReason(verdicts, reason);
  const { reason: why, ...note } = createDecisionNote(client, reason);
  const reasonOf = reasonFor(verdicts, why);
  const earlier: EarlierDecision[] = [];
  const own = await mapBounded(verdicts, async (one) => {
    const { asset, verdict } = one;
    if (verdict === 'wait') return [one];
    const outcome = verdict === 'approve' ? ('approved' as const) : ('rejected' as const);
    const decision = { outcome, ...note, ...reasonOf(outcome === 'rejected') };
    const stored = await heldPictures.decide(asset, decision);
    if (stored === decision) return [one];
    if (stored !== null) earlier.push({ key: asset.key, node: asset.node, ...stored });
    return [];
  });
  return { decided: countVerdicts(own.flat()), earlier };
}
