// Cancels on the platform what it still lets us cancel: renders that were not dispatched (section 3.2). What was made for
// the assets, and no result has told, is kept with them before.
import type { Client } from '../src/api/client.ts';
import type { RequestCounter } from '../src/api/counter.ts';
import { ApiError, ResponseShapeError } from '../src/api/errors.ts';
import { nullWhenGone } from '../src/machinery/null-when-gone.ts';
import { orUnreadable } from '../src/machinery/unreadable.ts';
import { isYoung } from '../src/machinery/visibility.ts';
import { groupBy } from '../src/plan/group-by.ts';
import type { CancelRemoteInput, CancelReport } from '../src/plan/step-contract.ts';
import { untoldFor } from '../src/store/calls/answered.ts';
import type { AssetSheet } from '../src/store/runs/asset-sheets.ts';
import type { AssetPatch } from '../src/store/runs/shard-pages.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';
import { readSheets, writePatches } from './shard-sheets.ts';

/** Says for each asset whose render goes on why; a second attempt meets what the first has cancelled. */
export async function cancelRemote(input: CancelRemoteInput, deps: Deps): Promise<CancelReport> {
  const requests = deps.requestsOf(input.context.run);
  return bookkeeping(deps, async (signal, hold) => {
    const { run } = input.context;
    const calls = await deps.store(input.context).callsBy({ run, shard: input.shard });
    const left: AssetPatch[] = [];
    const sheets = (await readSheets(input, deps, signal)).map((sheet) => {
      // The step of a call that has worked may have been cancelled before it could say what was made.
      const untold = untoldFor(sheet, calls);
      if (Object.keys(untold).length > 0) left.push({ at: sheet.at, refs: untold });
      return { ...sheet, refs: { ...sheet.refs, ...untold } };
    });
    const drawn = sheets.filter(({ refs }) => refs.jobId);
    const statuses = await statusesOf(drawn, deps.client, requests);
    for (const { at, refs } of drawn) {
      const { jobId = '' } = refs;
      // A job that was made a moment ago may not show yet, and goes on all the same.
      const unseen = isYoung(refs, deps.now()) ? unreadable : undefined;
      const status = statuses.get(jobId) ?? unseen;
      if (status === undefined || status === 'CANCELLED') continue;
      let told: string = status;
      if (status === 'QUEUED' || status === 'RENDER_QUEUED') {
        await hold();
        if (await cancelJob(jobId, deps, requests)) continue;
        told = statuses.has(jobId) ? 'just dispatched' : 'made a moment ago';
      }
      const why = `render job ${jobId} was ${told}, too late to cancel; the next run takes it over`;
      left.push({ at, warnings: [why], renderGoesOn: true });
    }
    const pages = await writePatches(input, '', left, deps);
    return { pages, requests: requests.take().byOperation };
  });
}

/** A job that cannot be read is cancelled anyway: the platform knows whether it can be. */
const unreadable = 'QUEUED';

/** By job; what is gone need not be cancelled, and has none. */
async function statusesOf(
  drawn: readonly AssetSheet[],
  client: Client,
  scope: RequestCounter,
): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  const read = <T>(call: () => Promise<T>) => orUnreadable(() => nullWhenGone(call));
  for (const [batchId, sheets] of groupBy(drawn, ({ refs }) => refs.batchId ?? '')) {
    const jobIds = sheets.flatMap(({ refs }) => refs.jobId ?? []);
    if (batchId === '') {
      for (const jobId of jobIds) {
        const job = await read(() => client.getRenderJob({ params: { jobId } }, { scope }));
        const status = job instanceof ResponseShapeError ? unreadable : job?.status;
        if (status !== undefined) statuses.set(jobId, status);
      }
      continue;
    }
    const batch = await read(() => client.getRenderBatch({ params: { batchId } }, { scope }));
    if (batch === null) continue;
    const jobs = batch instanceof ResponseShapeError ? null : batch.jobs;
    if ((jobs?.unread ?? 1) > 0) for (const jobId of jobIds) statuses.set(jobId, unreadable);
    for (const { jobId, status } of jobs ?? []) statuses.set(jobId, status);
  }
  return statuses;
}

/** False when the window has closed meanwhile; it is short. */
async function cancelJob(jobId: string, deps: Deps, scope: RequestCounter): Promise<boolean> {
  try {
    await deps.client.cancelRenderJob({ params: { jobId } }, { scope, priority: 'interactive' });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'INVALID_STATUS' || error.status === 404))
      return false;
    throw error;
  }
}
