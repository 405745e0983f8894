// Writes decisions about waiting assets, and signals the run that they are there.
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import type { DecisionSignal } from '../../plan/contract/audit-contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/connection/call-with-timeout.ts';
import { RenderlineError } from '../renderline-error.ts';
import { runEndedError } from '../runs/control.ts';
import { isNotFound, readSnapshot } from '../runs/run-snapshot.ts';
import { type AssetVerdict, countVerdicts } from './waiting-assets.ts';

/** @throws RenderlineError if assets are rejected without a reason */
export function refuseWithoutReason(
  verdicts: readonly AssetVerdict[],
  reason: string | undefined,
): void {
  const { rejected } = countVerdicts(verdicts);
  if (rejected > 0 && reason === undefined)
    throw new RenderlineError(
      commandFailures.REJECTED_WITHOUT_REASON,
      `${rejected === 1 ? 'An asset is' : `${rejected} assets are`} rejected without a reason.`,
    );
}

/**
 * The decisions are a page for each shard, so that the signal has the same size for one asset and for thousands. Repeating
 * a decision changes nothing: the first one about an asset stands.
 * @throws RenderlineError if the run has ended, or if assets are rejected without a reason
 */
export async function decide(
  client: Client,
  run: string,
  { approvals }: Pick<RunStore, 'approvals'>,
  verdicts: readonly AssetVerdict[],
  reason: string | undefined,
): Promise<void> {
  refuseWithoutReason(verdicts, reason);
  const note = {
    by: client.options.identity,
    at: new Date().toISOString(),
    ...withoutUndefined({ reason }),
  };
  const decided = verdicts.filter(({ verdict }) => verdict !== 'wait');
  const pages = [
    ...groupBy(decided, ({ asset: { shard, node } }) => JSON.stringify([shard, node])).values(),
  ];
  await mapBounded(pages, async (page) => {
    const [first] = page;
    if (first === undefined) return;
    const { shard, node } = first.asset;
    const keys = (wanted: AssetVerdict['verdict']) =>
      page.flatMap(({ asset, verdict }) => (verdict === wanted ? [asset.key] : []));
    await approvals.decide({
      shard,
      node,
      ...note,
      approved: keys('approve'),
      rejected: keys('reject'),
    });
  });
  const { approved, rejected } = countVerdicts(verdicts);
  const steps = [...new Set(decided.map(({ asset }) => asset.node))];
  const signal: DecisionSignal = { steps, approved, rejected, ...withoutUndefined({ reason }) };
  try {
    await callWithTimeout(client, responseTimeoutMs.usual, () =>
      client.workflow.getHandle(run).signal(messages.decide, signal),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw runEndedError(await readSnapshot(client, run), 'approve');
  }
}
