// Lists the failures of a run by code and node, with the commands that rerun the failed assets.
import { type FailureGroup, FailureGroups } from '../../features/failure-groups.ts';
import { failureConditionOf, rerunFailuresCommand } from '../../plan/run/rerun-command.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import { listUnfinished } from '../../store/discovery/unfinished-assets.ts';
import type { App } from '../app.ts';
import {
  queryProgress,
  type RunSnapshot,
  readAllowedRun,
  readRunEnd,
} from '../runs/run-snapshot.ts';
import { withTemporal } from '../temporal-client.ts';
import { openStoreWithAssets } from './open-store-with-assets.ts';

export interface FailuresShape {
  schema: 'renderline/failures/v1';
  run: string;
  pipeline: string;
  state: RunSnapshot['status'];
  /** Why the whole run stopped or is paused. Null if there is no such cause. */
  cause: RunCause | null;
  total: number;
  /** Command that reruns all failed assets. Null if nothing failed. */
  rerunCommand: string | null;
  /** Failures by code and node, each group with the command that reruns its assets. */
  groups: (FailureGroup & { rerunCommand: string })[];
}

/** @throws RenderlineError if the run does not exist or its records cannot be read */
export async function listFailures(app: App, run: string): Promise<FailuresShape> {
  return withTemporal(app, async ({ client }) => {
    await app.usePlugins();
    const snapshot = await readAllowedRun(app, client, run);
    const { pipeline, status, memo } = snapshot;
    const store = await openStoreWithAssets(client, snapshot, app.now());
    const isOver = status !== 'running';
    const end = isOver ? await readRunEnd(client, snapshot) : await queryProgress(client, run);
    const groups = new FailureGroups();
    const options = { isRunClosed: isOver, signal: app.signal };
    for await (const { failure } of listUnfinished(store, options)) {
      if (failure !== null) groups.add(failure);
    }
    const sorted = groups.sorted();
    return {
      schema: 'renderline/failures/v1',
      run,
      pipeline,
      state: status,
      cause: end?.cause ?? null,
      total: sorted.reduce((sum, group) => sum + group.count, 0),
      rerunCommand: sorted.length > 0 ? rerunFailuresCommand(run, memo?.path) : null,
      groups: sorted.map((group) => ({
        ...group,
        rerunCommand: rerunFailuresCommand(run, memo?.path, failureConditionOf(group)),
      })),
    };
  });
}
