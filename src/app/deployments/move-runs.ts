import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { moveRuns } from '../../temporal/deployments/move-runs.ts';
import type { App } from '../app.ts';
import { withTemporal } from '../temporal-client.ts';
import type { RoutingOptions } from './change-routing.ts';
import { auditDeploymentAction, findDeployment, requireVersion } from './find-deployment.ts';

export type MovedRuns = Awaited<ReturnType<typeof moveRunsOfBuild>>;

/** Moves the runs that are pinned to a build. @param to target build, by default whichever build is current */
export function moveRunsOfBuild(
  app: App,
  { from, to }: { from: string; to: string | undefined },
  { deployment, dryRun = false, reason }: Omit<RoutingOptions, 'force'>,
) {
  return withTemporal(app, async ({ client }) => {
    const existingDeployment = await findDeployment(app, client, deployment);
    const versionOf = (buildId: string) => ({ deployment: existingDeployment.name, buildId });
    if (to !== undefined) requireVersion(existingDeployment, to);
    const target = to === undefined ? null : versionOf(to);
    const move = () => moveRuns(client, versionOf(from), { to: target, dryRun });
    const details = { from, to: to ?? 'current' };
    const act = { what: 'moved', details, ...omitUndefined({ reason }) };
    return {
      schema: 'renderline/deployment-move/v1' as const,
      deployment: existingDeployment.name,
      from,
      /** Null means whichever build is current. */
      to: to ?? null,
      workflows: dryRun
        ? await move()
        : await auditDeploymentAction(client, existingDeployment, act, move),
      done: !dryRun,
    };
  });
}
