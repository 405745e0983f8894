import type { Client } from '@temporalio/client';
import { explainFailure, type FailureExplanation } from '../../features/failures.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import type { Failure } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { runPageUrl, withTemporal } from '../temporal-client.ts';
import { type FollowOptions, waitForRun } from './follow-run.ts';
import { stepRows } from './fresh-progress.ts';
import { type RunDetails, readRunDetails } from './run-details.ts';
import type { RunShape } from './run-shape.ts';
import { readAllowedRun } from './run-snapshot.ts';

export interface ShownRun extends RunDetails {
  shape: RunShape & {
    temporalUi: string | null;
    steps: ReturnType<typeof stepRows>;
    results: (Pick<FinalizedAsset, 'key' | 'outcome' | 'platformIds'> & {
      failure: (Failure & FailureExplanation) | null;
    })[];
    notices: RunNotice[];
    remark: string | null;
  };
}

/**
 * Reads the current state of a run. The result's `shape` is `renderline/run/v1`.
 * @param options.follow waits until the run has ended (see `waitForRun` for errors)
 */
export async function showRun(
  app: App,
  run: string,
  options: { follow?: FollowOptions | undefined } = {},
): Promise<ShownRun> {
  return withTemporal(app, async ({ client, namespace }) => {
    await app.usePlugins();
    const report = await readReport(app, client, run, options.follow);
    const { finalized, remark } = report;
    const shape = {
      ...report.shape,
      temporalUi: await runPageUrl(app, namespace, run),
      steps: stepRows(report.progress, report.steps),
      results: finalized.map(({ key, outcome, platformIds, failure }) => ({
        key,
        outcome,
        platformIds,
        failure: failure && explainFailure(failure),
      })),
      notices: collectNotices(finalized),
      remark,
    };
    return { ...report, shape };
  });
}

async function readReport(
  app: App,
  client: Client,
  run: string,
  follow: FollowOptions | undefined,
): Promise<RunDetails> {
  if (follow === undefined)
    return readRunDetails(client, await readAllowedRun(app, client, run), app.now());
  // The run is read first only to enforce the folder restriction. Following also waits for an unreachable server.
  if (app.folders !== undefined) await readAllowedRun(app, client, run);
  return waitForRun(app, client, run, follow);
}

export interface RunNotice {
  /** The `webhook-id` header of the notice. */
  id: string;
  node: string;
  /** HTTP status of the last response. Null if there was none. */
  status: number | null;
  attempts: number;
  at: string;
  delivered: boolean;
  assets: number;
}

/** Returns each notice once, ordered by its last attempt. */
export function collectNotices(
  finalized: readonly Pick<FinalizedAsset, 'platformIds'>[],
): RunNotice[] {
  const notices = new Map<string, RunNotice>();
  const deliveries = finalized.flatMap(({ platformIds }) =>
    Object.entries(platformIds.notices ?? {}),
  );
  for (const [node, { about: _about, ...delivery }] of deliveries) {
    const { id, status } = delivery;
    const isDelivered = status !== null && status < 300;
    const notice = notices.get(id) ?? { ...delivery, node, delivered: isDelivered, assets: 0 };
    notice.assets += 1;
    notices.set(id, notice);
  }
  return [...notices.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1));
}
