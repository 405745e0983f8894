// Finds the deployment that a command refers to.
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import type { RecordedAction } from '../../plan/contract/audit-contract.ts';
import { withAuditRecord } from '../../temporal/audit/record-action.ts';
import {
  type Deployment,
  listDeploymentNames,
  readDeployment,
  readVersionQueues,
  type Version,
} from '../../temporal/deployments/deployment.ts';
import { type DeploymentView, readVersionViews } from '../../temporal/deployments/version-views.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { readVersionRequest } from '../worker/worker-version.ts';

/** Returns the build id of this program's workers. */
export function readBuildId({ env }: Pick<App, 'env'>): string {
  return readVersionRequest({}, env).buildId;
}

/**
 * @param requestedName name of the deployment. If undefined, the one in the environment or the namespace's only one
 * @throws RenderlineError if there is none, or if there are several and none was requested
 */
export async function findDeployment(
  app: Pick<App, 'env'>,
  client: Client,
  requestedName: string | undefined,
): Promise<Deployment> {
  const chosenName = requestedName ?? (app.env['RENDERLINE_DEPLOYMENT'] || undefined);
  const names = chosenName === undefined ? await listDeploymentNames(client) : [chosenName];
  const [name] = names;
  if (name === undefined || names.length > 1) {
    const [problem, fix] =
      name === undefined
        ? [
            'no deployments',
            'Start a worker, which creates a deployment: renderline worker --deployment NAME',
          ]
        : [
            `several deployments: ${names.join(', ')}`,
            'Choose a deployment: --deployment NAME, or RENDERLINE_DEPLOYMENT.',
          ];
    const message = `The namespace ${client.options.namespace} has ${problem}.`;
    throw new RenderlineError(commandFailures.DEPLOYMENT_NOT_FOUND, message, { fix });
  }
  const deployment = await readDeployment(client, name);
  if (deployment !== null) return deployment;
  const existingNames = (await listDeploymentNames(client)).join(', ');
  const others =
    existingNames === ''
      ? 'The namespace has no deployments.'
      : `Existing deployments: ${existingNames}.`;
  const message = `The deployment "${name}" does not exist. ${others}`;
  throw new RenderlineError(commandFailures.DEPLOYMENT_NOT_FOUND, message);
}

/** Returns the version with this build id. @throws RenderlineError if the deployment has no such version */
export function requireVersion({ name, versions }: Deployment, buildId: string): Version {
  const match = versions.find((version) => version.buildId === buildId);
  if (match) return match;
  const buildIds = versions.map((version) => version.buildId).join(', ') || 'none';
  const message = `Deployment ${name} has no build ${buildId}. Existing builds: ${buildIds}.`;
  throw new RenderlineError(commandFailures.VERSION_NOT_FOUND, message);
}

/** Lists the deployments of the namespace with the versions of their workers. */
export function listDeployments(
  app: App,
): Promise<{ schema: 'renderline/deployments/v1'; deployments: DeploymentView[] }> {
  return withTemporal(app, async ({ client }) => {
    const deployments: DeploymentView[] = [];
    for (const name of await listDeploymentNames(client)) {
      const deployment = await readDeployment(client, name);
      if (deployment !== null) deployments.push(await readVersionViews(client, deployment));
    }
    return { schema: 'renderline/deployments/v1', deployments };
  });
}

/** Runs the task and writes the audit log. @throws NotRecordedError before the task; errors of `task` unchanged */
export async function auditDeploymentAction<T>(
  client: Client,
  deployment: Pick<Deployment, 'name' | 'versions'>,
  act: Pick<RecordedAction, 'what' | 'reason' | 'details'>,
  task: () => Promise<T>,
): Promise<T> {
  const { name } = deployment;
  const subject = { subject: 'deployment', name, pipeline: null } as const;
  const taskQueue = await findAuditQueue(client, deployment);
  return withAuditRecord({ client, taskQueue }, { ...act, ...subject }, task);
}

/**
 * Returns a task queue of the newest version that is not drained and has a queue. If there is none, returns the
 * deployment's name. The entries then wait until workers poll a queue with that name.
 */
async function findAuditQueue(
  client: Client,
  { name, versions }: Pick<Deployment, 'name' | 'versions'>,
): Promise<string> {
  for (const { buildId } of versions.filter(({ status }) => status !== 'drained')) {
    const [first] = (await readVersionQueues(client, { deployment: name, buildId })).sort();
    if (first !== undefined) return first;
  }
  return name;
}
