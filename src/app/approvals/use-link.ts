// Ensures that a decision link is used only once. The records store its use, because several servers may serve it.
import { commandFailures } from '../../failures/commands.ts';
import { memoizeByObject } from '../../plan/helpers/memoize.ts';
import { PromiseCache } from '../../store/objects/promise-cache.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { type RunSnapshot, readAllowedRun } from '../runs/run-snapshot.ts';
import { withTemporal } from '../temporal-client.ts';

interface UsedLink {
  id: string;
  run: string;
}

/**
 * Does the work that the visitor of a link requested, then marks the link as used. If the work fails or the server ends
 * before, the link remains valid, so that no decision is lost. Repeating decisions is harmless, because the first stands.
 * @param link null if the visitor needs none
 * @throws RenderlineError if decisions were already sent with the link
 */
export async function useLink<T>(
  app: App,
  run: string,
  link: UsedLink | null,
  task: () => Promise<T>,
): Promise<T> {
  if (link === null) return task();
  const { approvals, by } = await openApprovals(app, run);
  if (await approvals.isLinkUsed(link.id)) throw linkUsedError();
  const result = await task();
  await approvals.markLinkUsed(link.id, { by, at: new Date(app.now()).toISOString() });
  return result;
}

/**
 * @param app app of the server, which caches the location of each run's records
 * @param isPage false for a picture on a page, for which Temporal is not asked whether the run has ended
 * @throws RenderlineError if decisions were already sent with the link, or if the run has ended
 */
export async function assertLinkUsable(
  app: App,
  link: UsedLink | null,
  isPage: boolean,
): Promise<void> {
  if (link === null) return;
  const pageApprovals = isPage ? await openApprovals(app, link.run) : null;
  const approvals = pageApprovals?.approvals ?? (await findKnownApprovals(app, link.run));
  if (await approvals.isLinkUsed(link.id)) throw linkUsedError();
  if (pageApprovals === null || pageApprovals.status === 'running') return;
  throw new RenderlineError(
    commandFailures.RUN_ENDED,
    `The run ${link.run} has ended, so nothing is waiting for your decision.`,
    { fix: 'If you expected pictures to review, ask the person who sent you the link.' },
  );
}

/** Approvals in the records by run. Cached, because records never move and a page has many pictures. */
const knownApprovalsOf = memoizeByObject((_app: App) => new PromiseCache<RunStore['approvals']>());

function findKnownApprovals(app: App, run: string): Promise<RunStore['approvals']> {
  const open = async () => (await openApprovals(app, run)).approvals;
  return knownApprovalsOf(app).getOrStart(run, open);
}

function openApprovals(
  app: App,
  run: string,
): Promise<{ approvals: RunStore['approvals']; by: string; status: RunSnapshot['status'] }> {
  const open = async ({ client }: TemporalConnection) => {
    const snapshot = await readAllowedRun(app, client, run);
    const { approvals } = openStoreOfRun(snapshot);
    return { approvals, by: client.options.identity, status: snapshot.status };
  };
  // No pause is noted here: visitors of the page learn about pauses when they send decisions.
  return withTemporal(app, open, { notesPauses: false });
}

function linkUsedError(): RenderlineError {
  return new RenderlineError(commandFailures.LINK_USED, 'This link has already been used.');
}
