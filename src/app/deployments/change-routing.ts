// Changes which worker version gets new runs.
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { grpcCode, grpcStatusOf } from '../../temporal/connection/grpc-status.ts';
import { type Deployment, previousVersion } from '../../temporal/deployments/deployment.ts';
import { setCurrent, setRamping } from '../../temporal/deployments/set-routing.ts';
import { RenderlineError } from '../renderline-error.ts';
import { auditDeploymentAction } from './audit-action.ts';
import { requireVersion } from './find-deployment.ts';

export interface RoutingChange {
  schema: 'renderline/deployment-change/v1';
  deployment: string;
  action: 'set-current' | 'ramp' | 'rollback';
  /** Null: unversioned workers. */
  current: string | null;
  ramping: { buildId: string | null; percent: number } | null;
  before: Pick<Deployment, 'current' | 'ramping'>;
  done: boolean;
}

export interface ChangeOptions {
  dryRun: boolean;
  force: boolean;
  reason?: string | undefined;
}

/** Routes all new runs to a build. @param buildId null: unversioned workers */
export function setCurrentBuild(
  client: Client,
  deployment: Deployment,
  buildId: string | null,
  options: ChangeOptions,
): Promise<RoutingChange> {
  if (buildId !== null) requireVersion(deployment, buildId);
  const { ramping } = deployment;
  const after = { current: buildId, ramping: ramping?.buildId === buildId ? null : ramping };
  return changeRouting(client, deployment, 'set-current', after, options, () =>
    setCurrent(client, deployment, buildId, options),
  );
}

/** Routes a percentage of new runs to a build; 0 ends the ramp. @throws RenderlineError if the build is current */
export function rampBuild(
  client: Client,
  deployment: Deployment,
  { buildId, percent }: { buildId: string; percent: number },
  options: ChangeOptions,
): Promise<RoutingChange> {
  requireVersion(deployment, buildId);
  if (buildId === deployment.current) {
    throw new RenderlineError(
      commandFailures.VERSION_REFUSED,
      `Build ${buildId} is current already: it gets all new runs.`,
      { fix: 'Ramp another build.' },
    );
  }
  const after = {
    current: deployment.current,
    ramping: percent === 0 ? null : { buildId, percent },
  };
  return changeRouting(client, deployment, 'ramp', after, options, () =>
    setRamping(client, deployment, percent === 0 ? null : buildId, percent, options),
  );
}

/** Ends the ramp, or else makes the previous current build current again. @throws RenderlineError if there is no previous build */
export function rollBackDeployment(
  client: Client,
  deployment: Deployment,
  options: ChangeOptions,
): Promise<RoutingChange> {
  const { name, current, ramping } = deployment;
  if (ramping !== null) {
    return changeRouting(client, deployment, 'rollback', { current, ramping: null }, options, () =>
      setRamping(client, deployment, null, 0, options),
    );
  }
  const before = previousVersion(deployment);
  if (before === null) {
    throw new RenderlineError(
      commandFailures.VERSION_NOT_FOUND,
      `Deployment ${name} has no build that was current before.`,
      {
        fix: `Name one: renderline deployments set-current BUILD, or give new runs to workers that are not versioned: renderline deployments set-current --unversioned`,
      },
    );
  }
  return changeRouting(
    client,
    deployment,
    'rollback',
    { current: before.buildId, ramping },
    options,
    () => setCurrent(client, deployment, before.buildId, options),
  );
}

async function changeRouting(
  client: Client,
  deployment: Deployment,
  action: RoutingChange['action'],
  after: Pick<RoutingChange, 'current' | 'ramping'>,
  { dryRun, force, reason }: ChangeOptions,
  apply: () => Promise<void>,
): Promise<RoutingChange> {
  const { name, current, ramping } = deployment;
  if (!dryRun) {
    const details = { ...after, was: { current, ramping }, ...(force ? { force } : {}) };
    const act = { what: action, details, ...withoutUndefined({ reason }) };
    await auditDeploymentAction(client, deployment, act, () => apply().catch(rethrowRefusal));
  }
  return {
    schema: 'renderline/deployment-change/v1',
    deployment: name,
    action,
    ...after,
    before: { current, ramping },
    done: !dryRun,
  };
}

function rethrowRefusal(error: unknown): never {
  const status = grpcStatusOf(error);
  if (status?.code !== grpcCode.failedPrecondition) throw error;
  throw new RenderlineError(commandFailures.VERSION_REFUSED, `Temporal: ${status.details}`);
}

/** Formats a change for the terminal. */
export function formatRoutingChange({
  deployment,
  current,
  ramping,
  before,
  done,
}: RoutingChange): string {
  const verb = done ? 'go' : 'would go';
  const rampNote =
    ramping === null ? '' : `, ${ramping.percent} % of them to build ${ramping.buildId ?? '?'}`;
  const lines = [`New runs of ${deployment} ${verb} to ${formatBuild(current)}${rampNote}.`];
  if (before.current !== current && before.current !== null) {
    lines.push(
      `Open runs of build ${before.current} finish on that build: keep its workers until it is drained (renderline deployments).`,
      `If that build is bad, move them: renderline deployments move ${before.current} --deployment ${deployment}`,
    );
  }
  return lines.join('\n');
}

function formatBuild(buildId: string | null): string {
  return buildId === null ? 'workers that are not versioned' : `build ${buildId}`;
}
