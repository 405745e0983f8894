import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import { findGrpcStatus, grpcCode } from '../../failures/grpc-status.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { type Deployment, findPreviousVersion } from '../../temporal/deployments/deployment.ts';
import { setCurrentVersion, setRampingVersion } from '../../temporal/deployments/set-routing.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import {
  auditDeploymentAction,
  findDeployment,
  readBuildId,
  requireVersion,
} from './find-deployment.ts';

export interface RoutingChange {
  schema: 'renderline/deployment-change/v1';
  deployment: string;
  action: 'set-current' | 'ramp' | 'rollback';
  /** Build that receives new runs after the change. Null for unversioned workers. */
  current: string | null;
  ramping: { buildId: string | null; percent: number } | null;
  before: Pick<Deployment, 'current' | 'ramping'>;
  done: boolean;
}

export interface RoutingOptions {
  /** Name of the deployment. @default the deployment of the environment, or the only one */
  deployment?: string | undefined;
  dryRun?: boolean | undefined;
  /** Change the routing even if the build has no workers or does not serve a task queue. */
  force?: boolean | undefined;
  reason?: string | undefined;
}

/**
 * Makes a build current. A ramp to another build continues.
 * @param buildId null selects unversioned workers, and undefined the build of this program
 */
export function setCurrentBuild(
  app: App,
  buildId: string | null | undefined,
  options: RoutingOptions,
): Promise<RoutingChange> {
  return changeRouting(app, 'set-current', options, (client, deployment) => {
    const targetBuild = buildId === undefined ? readBuildId(app) : buildId;
    if (targetBuild !== null) requireVersion(deployment, targetBuild);
    const { ramping } = deployment;
    return {
      current: targetBuild,
      ramping: ramping?.buildId === targetBuild ? null : ramping,
      apply: () => setCurrentVersion(client, deployment, targetBuild, options),
    };
  });
}

/**
 * Routes a percentage of new runs to a build. 0 ends the ramp.
 * @param build defaults to the build of this program
 * @throws RenderlineError if the build is current, or is not in the deployment
 */
export function rampBuild(
  app: App,
  { build, percent }: { build: string | undefined; percent: number },
  options: RoutingOptions,
): Promise<RoutingChange> {
  return changeRouting(app, 'ramp', options, (client, deployment) => {
    const buildId = build ?? readBuildId(app);
    requireVersion(deployment, buildId);
    const { current } = deployment;
    if (buildId === current) {
      const message = `Build ${buildId} is already current: it gets all new runs.`;
      throw new RenderlineError(commandFailures.VERSION_REFUSED, message, {
        fix: 'Ramp another build.',
      });
    }
    const ramping = percent === 0 ? null : { buildId, percent };
    const rampedBuild = ramping && buildId;
    const apply = () => setRampingVersion(client, deployment, rampedBuild, percent, options);
    return { current, ramping, apply };
  });
}

/** Ends the ramp. Without a ramp, makes the previous build current. @throws RenderlineError without a previous build */
export function rollBackDeployment(app: App, options: RoutingOptions): Promise<RoutingChange> {
  return changeRouting(app, 'rollback', options, (client, deployment) => {
    const { name, current, ramping } = deployment;
    if (ramping !== null) {
      const apply = () => setRampingVersion(client, deployment, null, 0, options);
      return { current, ramping: null, apply };
    }
    const formerVersion = findPreviousVersion(deployment);
    if (formerVersion === null) {
      const message = `Deployment ${name} has no previously current build.`;
      const fix =
        'Choose a build: renderline deployments set-current BUILD, or route new runs to unversioned workers: renderline deployments set-current --unversioned';
      throw new RenderlineError(commandFailures.VERSION_NOT_FOUND, message, { fix });
    }
    const { buildId } = formerVersion;
    const apply = () => setCurrentVersion(client, deployment, buildId, options);
    return { current: buildId, ramping, apply };
  });
}

interface PlannedRouting extends Pick<RoutingChange, 'current' | 'ramping'> {
  apply: () => Promise<void>;
}

function changeRouting(
  app: App,
  action: RoutingChange['action'],
  { dryRun = false, force = false, reason, deployment: requestedName }: RoutingOptions,
  planRouting: (client: Client, deployment: Deployment) => PlannedRouting,
): Promise<RoutingChange> {
  return withTemporal(app, async ({ client }) => {
    const deployment = await findDeployment(app, client, requestedName);
    const { name, current, ramping } = deployment;
    const { apply, ...routing } = planRouting(client, deployment);
    if (!dryRun) {
      const details = { ...routing, was: { current, ramping }, ...(force ? { force } : {}) };
      const act = { what: action, details, ...omitUndefined({ reason }) };
      await auditDeploymentAction(client, deployment, act, () => apply().catch(rethrowRefusal));
    }
    return {
      schema: 'renderline/deployment-change/v1',
      deployment: name,
      action,
      ...routing,
      before: { current, ramping },
      done: !dryRun,
    };
  });
}

function rethrowRefusal(error: unknown): never {
  const status = findGrpcStatus(error);
  if (status?.code !== grpcCode.failedPrecondition) throw error;
  throw new RenderlineError(commandFailures.VERSION_REFUSED, `Temporal: ${status.details}`);
}
