import type { Client } from '@temporalio/client';
import { explainFailure, type FailureExplanation } from '../../features/failures.ts';
import type { RunNotice } from '../../features/notices/run-notices.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { LazyList, type List } from '../../plan/helpers/lazy-list.ts';
import type { Failure } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { runPageUrl, withTemporal } from '../temporal-client.ts';
import { type FollowOptions, waitForRun } from './follow-run.ts';
import { stepRows } from './fresh-progress.ts';
import { type RunDetails, readRunDetails } from './run-details.ts';
import type { RunView } from './run-shape.ts';
import { readAllowedRun } from './run-snapshot.ts';

export interface ShownRun extends RunDetails {
  shape: RunView & {
    temporalUi: string | null;
    steps: ReturnType<typeof stepRows>;
    results: List<ShownResult>;
    notices: RunNotice[];
    remark: string | null;
  };
}

interface ShownResult extends Pick<FinalizedAsset, 'key' | 'outcome' | 'platformIds'> {
  failure: (Failure & FailureExplanation) | null;
}

/**
 * Reads the current state of a run. The result's `shape` is `renderline/run/v1`.
 * @param options.follow waits until the run has ended (see `waitForRun` for errors)
 * @param options.onAsset called for each finished asset of a run that is not followed
 */
export async function showRun(
  app: App,
  run: string,
  options: {
    follow?: FollowOptions | undefined;
    onAsset?: (asset: FinalizedAsset) => void;
  } = {},
): Promise<ShownRun> {
  return withTemporal(app, async ({ client, namespace }) => {
    await app.usePlugins();
    const report = await readReport(app, client, run, options);
    const { finished, remark } = report;
    const shape = {
      ...report.shape,
      temporalUi: await runPageUrl(app, namespace, run),
      steps: stepRows(report.progress, report.steps),
      results: new LazyList(finished.totals.total, () => toShownResults(finished.assets)),
      notices: finished.notices.sorted(),
      remark,
    };
    return { ...report, shape };
  });
}

async function* toShownResults(assets: AsyncIterable<FinalizedAsset>): AsyncGenerator<ShownResult> {
  for await (const { key, outcome, platformIds, failure } of assets)
    yield { key, outcome, platformIds, failure: failure && explainFailure(failure) };
}

async function readReport(
  app: App,
  client: Client,
  run: string,
  { follow, onAsset }: NonNullable<Parameters<typeof showRun>[2]>,
): Promise<RunDetails> {
  if (follow === undefined) {
    const snapshot = await readAllowedRun(app, client, run);
    return readRunDetails(client, snapshot, app.now(), null, onAsset);
  }
  // The run is read first only to enforce the folder restriction. Following also waits for an unreachable server.
  if (app.folders !== undefined) await readAllowedRun(app, client, run);
  return waitForRun(app, client, run, follow);
}
