// Checks of `doctor` about worker versions at a task queue.
import type { Client } from '@temporalio/client';
import { count } from '../../plan/count.ts';
import { readDeployment } from '../../temporal/deployments/deployment.ts';
import {
  type DeploymentView,
  lookAtVersions,
  type VersionView,
} from '../../temporal/deployments/look-at-versions.ts';
import { type QueuePollers, readQueue } from '../../temporal/deployments/queue-routing.ts';
import { failingWorkflows } from '../../temporal/failing-workflows.ts';
import { strandedFix, strandedWords } from '../deployments/words.ts';
import { type Check, ok, warn } from '../health-check.ts';

/** Checks deployments and failing workflows; no checks if the task queue is not known. */
export async function checkVersions(client: Client, taskQueue: string | null): Promise<Check[]> {
  if (taskQueue === null) return [];
  // Older Temporal servers have no deployments, and some servers have no search. The checks are skipped there.
  const [deployment, failing] = await Promise.all([
    checkDeployment(client, taskQueue).catch(() => []),
    checkFailing(client, taskQueue).catch(() => []),
  ]);
  return [...deployment, ...failing];
}

/** No checks if the workers of the queue are not versioned. */
async function checkDeployment(client: Client, taskQueue: string): Promise<Check[]> {
  const { routing, pollers } = await readQueue(client, taskQueue);
  const name =
    routing.current?.deployment ??
    routing.ramping?.version?.deployment ??
    [...pollers.versions.keys()][0]?.split(':')[0];
  const deployment = name === undefined ? null : await readDeployment(client, name);
  if (deployment === null) return [];
  return deploymentChecks(await lookAtVersions(client, deployment), pollers);
}

export function deploymentChecks(view: DeploymentView, pollers: QueuePollers): Check[] {
  const { name, current, ramping, versions } = view;
  const of = `--deployment ${name}`;
  const part = ramping ? `, ${ramping.percent} % to ${ramping.buildId ?? 'others'}` : '';
  const checks = [
    ok(label, `${name}: new runs go to ${current ?? 'workers that are not versioned'}${part}`),
  ];
  const now = versions.find(({ buildId }) => buildId === current);
  if (now?.workers === 0) {
    checks.push(
      warn(
        label,
        `build ${now.buildId} is current and has no workers: new runs do not start`,
        `Start workers of this build, or go back: renderline deployments rollback ${of}`,
      ),
    );
  }
  if (current !== null && pollers.unversioned > 0) {
    checks.push(
      warn(
        label,
        `${count(pollers.unversioned, 'worker')} without a version get no runs`,
        'Restart them without --deployment none, with this version of Renderline.',
      ),
    );
  }
  return [...checks, ...versions.flatMap((version) => versionChecks(name, version))];
}

function versionChecks(name: string, version: VersionView): Check[] {
  const { buildId, status, workers } = version;
  const of = `--deployment ${name}`;
  if (version.stranded) {
    return [warn(label, `${strandedWords(version)}: stranded`, strandedFix(name, version))];
  }
  if (workers === 0 || status === 'current' || status === 'ramping') return [];
  const words = `build ${buildId} is ${status}: its ${count(workers, 'worker')} get only work that is pinned to it`;
  if (status === 'draining' || status === 'drained') return [ok(label, words)];
  return [warn(label, words, `renderline deployments set-current ${buildId} ${of}`)];
}

/** Warns of runs and shards whose workflow tasks fail, because the deployed code cannot replay them. */
async function checkFailing(client: Client, taskQueue: string): Promise<Check[]> {
  const { failing, more } = await failingWorkflows(client, taskQueue);
  return failing.map(({ workflowId, why, fix }, index) => {
    const others = index === failing.length - 1 && more > 0 ? ` (and ${more} more)` : '';
    return warn('tasks', `${workflowId}${others}: ${why}`, fix);
  });
}

const label = 'deployment';
