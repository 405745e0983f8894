import { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import type { Environment } from '../../settings/environment.ts';
import type { Logger } from '../../settings/logger.ts';
import type { WorkerConnection } from '../../temporal/connection/connect.ts';
import { type ChosenVersion, chooseVersion } from '../../temporal/deployments/choose-version.ts';
import {
  formatRoutingStatus,
  type RoutingStatus,
} from '../../temporal/deployments/routing-status.ts';
import {
  buildIdOf,
  isDeploymentName,
  isVersionName,
  type WorkerVersion,
} from '../../temporal/deployments/worker-version.ts';
import { readBuiltBundle } from '../../temporal/workflow-code.ts';
import { RenderlineError } from '../renderline-error.ts';

export interface GivenVersion {
  deployment?: string | undefined;
  buildId?: string | undefined;
}

export interface VersionRequest {
  /** Name of the deployment. If undefined, the deployment of the task queue is used. */
  deployment: string | undefined;
  buildId: string;
}

/** Returns the build id of the workflow code in this program. */
export function ownBuildId(): string {
  const code = readBuiltBundle();
  // There is no bundle if the program runs from source.
  return code === null ? 'sources' : buildIdOf(code);
}

/** @throws RenderlineError for a name that Temporal does not accept */
export function readVersionRequest(options: GivenVersion, env: Environment): VersionRequest {
  const read = (
    value: string | undefined,
    flag: string,
    variable: string,
    isName: (name: string) => boolean,
  ) => {
    const name = value ?? (env[variable] || undefined);
    if (name === undefined || isName(name)) return name;
    const [origin, separator] = value === undefined ? [variable, '='] : [flag, ' '];
    const message = `${origin} ${JSON.stringify(name)} is not a valid name of a deployment or build.`;
    const fix = `Use at most 100 letters, digits, ".", "_" and "-": ${origin}${separator}renderline-2.4`;
    throw new RenderlineError(commandFailures.BAD_VERSION_NAME, message, { fix });
  };
  const { deployment, buildId } = options;
  return {
    deployment: read(deployment, '--deployment', 'RENDERLINE_DEPLOYMENT', isDeploymentName),
    buildId: read(buildId, '--build-id', 'RENDERLINE_BUILD_ID', isVersionName) ?? ownBuildId(),
  };
}

/** Chooses the version that a worker on this task queue registers. */
export function chooseWorkerVersion(
  { connection, namespace }: Pick<WorkerConnection, 'connection' | 'namespace'>,
  taskQueue: string,
  request: VersionRequest,
): Promise<ChosenVersion> {
  return chooseVersion(new Client({ connection, namespace }), taskQueue, request);
}

/** Creates the worker options for a version. @param takesOver see WorkerOptions */
export function createVersionOptions(
  logger: Logger,
  version: WorkerVersion | null,
  takesOver: boolean,
) {
  if (version === null) return {};
  const onRoutingStatus = (status: RoutingStatus) => {
    const level = status.kind === 'not-current' ? 'warn' : 'info';
    logger[level](formatRoutingStatus(version, status));
  };
  return { version, takesOver, onRoutingStatus };
}
