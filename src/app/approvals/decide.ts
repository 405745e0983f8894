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

/** Maximum number of shards that a signal names. */
const maxShardsNamed = 100;
/**
 * Each signal adds about ten events to the history of the run, of which the server allows 51,200 (and 10,000 signals). Somebody
 * who decides about thousands of assets one by one must not use them up.
 */
const maxHistoryEvents = 10_000;

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
  const shards = [...new Set(decided.map(({ asset }) => asset.shard))];
  await sendSignal(client, run, {
    steps: [...new Set(decided.map(({ asset }) => asset.node))],
    ...(shards.length > maxShardsNamed ? {} : { shards }),
    approved,
    rejected,
    ...withoutUndefined({ reason }),
  });
}

/** Without the signal the decisions are read at the next poll. */
async function sendSignal(client: Client, run: string, signal: DecisionSignal): Promise<void> {
  const handle = client.workflow.getHandle(run);
  try {
    await callWithTimeout(client, responseTimeoutMs.usual, async () => {
      const { historyLength } = await handle.describe();
      if (historyLength < maxHistoryEvents) await handle.signal(messages.decide, signal);
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw runEndedError(await readSnapshot(client, run), 'approve');
  }
}
