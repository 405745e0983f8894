// Lists the failures of runs that ended since a given time, with the commands that rerun the failed assets.
import { type FailureGroup, FailureGroups } from '../../features/failure-groups.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { failureConditionOf, rerunSinceCommand } from '../../plan/run/rerun-command.ts';
import type { App } from '../app.ts';
import { withTemporal } from '../temporal-client.ts';
import {
  type FailedRun,
  type FailedRuns,
  type FailuresQuery,
  readFailedRuns,
} from './failed-runs.ts';

export interface RecentFailures extends Pick<FailedRuns, 'since' | 'unreadable' | 'notRead'> {
  schema: 'renderline/failures-since/v1';
  pipeline: string | null;
  where: string | null;
  /** Runs with failures, newest first. `failed` counts assets that are neither `repaired` nor `failedAgain`. */
  runs: { run: string; pipeline: string; failed: number; repaired: number; failedAgain: number }[];
  /** Number of assets that failed and have not been delivered since. */
  total: number;
  /** Command that reruns all of these assets. Null if `total` is 0. */
  rerunCommand: string | null;
  /** Failures by pipeline, code and node. The largest group comes first. */
  groups: (FailureGroup & { pipeline: string; runs: string[]; rerunCommand: string })[];
}

/** @throws RenderlineError BAD_TIME; WhereError */
export function listRecentFailures(app: App, query: FailuresQuery): Promise<RecentFailures> {
  return withTemporal(app, async ({ client }) => {
    await app.usePlugins();
    const { runs, ...listing } = await readFailedRuns(app, client, query);
    const { pipeline = null, where = null } = query;
    const groups = [...groupBy(runs, ({ snapshot }) => snapshot.pipeline)].flatMap(
      ([name, pipelineRuns]) => groupFailures(name, pipelineRuns, query),
    );
    const total = groups.reduce((sum, { count }) => sum + count, 0);
    return {
      schema: 'renderline/failures-since/v1',
      ...listing,
      pipeline,
      where,
      runs: runs.map(({ snapshot, failures, repaired, failedAgain }) => ({
        run: snapshot.run,
        pipeline: snapshot.pipeline,
        failed: failures.length,
        repaired: repaired.length,
        failedAgain: failedAgain.length,
      })),
      total,
      rerunCommand: total === 0 ? null : rerunSinceCommand(query.since, query),
      groups: groups.sort((a, b) => b.count - a.count),
    };
  });
}

function groupFailures(
  pipeline: string,
  runs: readonly FailedRun[],
  { since, where }: FailuresQuery,
): RecentFailures['groups'] {
  const groups = new FailureGroups();
  for (const { failures } of runs) for (const failure of failures) groups.add(failure);
  return groups.sorted().map((group) => {
    const isInGroup = ({ code, node }: { code: string; node: string }) =>
      code === group.code && node === group.node;
    const condition = failureConditionOf(group);
    const fullCondition = where === undefined ? condition : `(${where}) && ${condition}`;
    return {
      ...group,
      pipeline,
      runs: runs.flatMap(({ failures, snapshot }) =>
        failures.some(isInGroup) ? snapshot.run : [],
      ),
      rerunCommand: rerunSinceCommand(since, { pipeline, where: fullCondition }),
    };
  });
}
