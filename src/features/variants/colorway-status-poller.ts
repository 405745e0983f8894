// Polls colorway jobs for all waits of a worker: one request per batch, shared by all its assets.
import type { CallOptions, Client } from '../../api/client.ts';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { ColorwayBatch } from '../../api/operations/colorways.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { readEach } from '../../engine/polling/read-each.ts';
import { shareStatusPoller } from '../../engine/polling/status-poller.ts';

export interface WatchedColorway {
  batchId: string;
  modelId: string;
  /** Number of retries of the job. Results of earlier attempts do not count. */
  tries: number;
}

export interface ColorwayPollResult {
  /** Job status of the platform, NO_JOB if the batch has no job for the model, or NOT_FOUND if it was deleted. */
  status: string;
  jobId?: string;
  errorMessage?: string;
}

type Jobs = ResponseOf<typeof ColorwayBatch>['jobs'];

/** NOT_FOUND and NO_JOB are not final, because the batch or job may not be visible yet. */
const finalStatuses = new Set(['complete', 'failed']);
/** Typical number of models in a batch. */
const modelsPerBatch = 50;

function watchedColorwayIdOf({ batchId, modelId, tries }: WatchedColorway): string {
  return `${batchId}/${modelId}/${tries}`;
}

/** Polls colorways. Returns results by `watchedColorwayIdOf`, without jobs that could not be read. */
export async function pollColorways(
  client: Client,
  items: readonly WatchedColorway[],
  options: CallOptions,
): Promise<Map<string, ColorwayPollResult>> {
  const batchIds = [...new Set(items.map(({ batchId }) => batchId))];
  // A batch is null if it was deleted.
  const batches = await readEach(batchIds, (batchId) =>
    nullIfNotFound(() => client.getColorwayBatch({ params: { batchId } }, options)),
  );
  const results = items.flatMap((item): [string, ColorwayPollResult][] => {
    const batch = batches.get(item.batchId);
    const result = batch === undefined ? null : toPollResult(item.modelId, batch?.jobs ?? null);
    return result === null ? [] : [[watchedColorwayIdOf(item), result]];
  });
  return new Map(results);
}

/** Combines the jobs of a model, which is finished when all of them are. Returns null if the result is uncertain. */
function toPollResult(modelId: string, jobs: Jobs | null): ColorwayPollResult | null {
  if (jobs === null) return { status: 'NOT_FOUND' };
  const modelJobs = jobs.filter(({ baseModelId }) => baseModelId === modelId);
  const job =
    modelJobs.find(({ status }) => !finalStatuses.has(status)) ??
    modelJobs.find(({ status }) => status === 'failed') ??
    modelJobs[0];
  // A job that could not be parsed may belong to this model.
  if (job === undefined) return jobs.unread > 0 ? null : { status: 'NO_JOB' };
  const { id, status, errorMessage } = job;
  return { status, jobId: id, ...(errorMessage ? { errorMessage } : {}) };
}

/** Results are keyed by `watchedColorwayIdOf`. */
export const colorwayStatusPoller = shareStatusPoller<WatchedColorway, ColorwayPollResult>(
  ({ client }) => ({
    name: 'colorways',
    idOf: watchedColorwayIdOf,
    isFinished: ({ status }) => finalStatuses.has(status),
    pageSize: modelsPerBatch,
    read: (items, { options }) => pollColorways(client, items, options),
  }),
  { byNamedPaths: true },
);
