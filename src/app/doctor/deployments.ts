import type { Client } from '@temporalio/client';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { readDeployment } from '../../temporal/deployments/deployment.ts';
import { type QueuePollers, readQueue } from '../../temporal/deployments/queue-routing.ts';
import { formatRouting } from '../../temporal/deployments/routing-status.ts';
import {
  type DeploymentView,
  readVersionViews,
  type VersionView,
} from '../../temporal/deployments/version-views.ts';
import { findFailingWorkflows } from '../../temporal/status/failing-workflows.ts';
import { describeStranded, formatStrandedFix } from '../deployments/stranded-version.ts';
import {
  type Check,
  checkIfSupported,
  createCheck,
  createPassedCheck,
  createWarningCheck,
} from './health-check.ts';

/** Checks deployments and failing workflows. */
export async function checkVersions(client: Client, taskQueue: string): Promise<Check[]> {
  // Older Temporal servers do not support deployments, and some servers do not support search.
  const [deployment, failing] = await Promise.all([
    checkIfSupported(checkName, () => checkDeployment(client, taskQueue)),
    checkIfSupported('tasks', () => checkFailingWorkflows(client, taskQueue)),
  ]);
  return [...deployment, ...failing];
}

/** Checks the deployment of the workers at the queue. Returns no checks if the workers are not versioned. */
async function checkDeployment(client: Client, taskQueue: string): Promise<Check[]> {
  const { routing, pollers } = await readQueue(client, taskQueue);
  const name =
    routing.current?.deployment ??
    routing.ramping?.version?.deployment ??
    [...pollers.versions.keys()][0]?.split(':')[0];
  const deployment = name === undefined ? null : await readDeployment(client, name);
  if (deployment === null) return [];
  return checkDeploymentView(await readVersionViews(client, deployment), pollers);
}

export function checkDeploymentView(view: DeploymentView, pollers: QueuePollers): Check[] {
  const { name, current, versions } = view;
  const checks = [createPassedCheck(checkName, `${name}: new runs go to ${formatRouting(view)}`)];
  const currentVersion = versions.find(({ buildId }) => buildId === current);
  if (currentVersion?.workers === 0) {
    checks.push(
      createWarningCheck(
        checkName,
        `build ${currentVersion.buildId} is current and has no workers: new runs do not start`,
        `Start workers of this build, or roll back: renderline deployments rollback --deployment ${name}`,
      ),
    );
  }
  if (current !== null && pollers.unversioned > 0) {
    checks.push(
      createWarningCheck(
        checkName,
        `${formatCount(pollers.unversioned, 'unversioned worker')} ${pollers.unversioned === 1 ? 'gets' : 'get'} no runs`,
        'Restart these workers with this version of Renderline, without the option `--deployment none`.',
      ),
    );
  }
  return [...checks, ...versions.flatMap((version) => checkVersion(name, version))];
}

function checkVersion(name: string, version: VersionView): Check[] {
  const { buildId, status, workers } = version;
  if (version.stranded) {
    return [
      createWarningCheck(
        checkName,
        `${describeStranded(version)}: stranded`,
        formatStrandedFix(name, version),
      ),
    ];
  }
  if (workers === 0 || status === 'current' || status === 'ramping') return [];
  const message = `build ${buildId} is ${status}: its ${formatCount(workers, 'worker')} ${workers === 1 ? 'gets' : 'get'} only work that is pinned to it`;
  const fix = `renderline deployments set-current ${buildId} --deployment ${name}`;
  return [createCheck(status === 'draining' || status === 'drained', checkName, message, fix)];
}

/** Warns about open workflows whose workflow tasks fail, for example because the code cannot replay them. */
async function checkFailingWorkflows(client: Client, taskQueue: string): Promise<Check[]> {
  const { failing, more } = await findFailingWorkflows(client, taskQueue);
  return failing.map(({ workflowId, why, fix }, index) => {
    const others = index === failing.length - 1 && more > 0 ? ` (and ${more} more)` : '';
    return createWarningCheck('tasks', `${workflowId}${others}: ${why}`, fix);
  });
}

const checkName = 'deployment';
