// Chooses the host of a run's discovery: any host, the host named in the file, or the host that has the run's folders.
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { scheduleActivity, workflowInfo } from '@temporalio/workflow';
import { severalHostsType } from '../../src/plan/contract/contract.ts';
import { chunks } from '../../src/plan/helpers/chunks.ts';
import { chooseHost, type HostView, localFoldersOf } from '../../src/plan/run/folders.ts';
import { priorityOf } from '../../src/plan/run/priority.ts';
import { hostQueue, urgentQueueOf } from '../../src/plan/run/queues.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { WorkflowFailureCode } from '../../src/plan/run/workflow-failure-codes.ts';
import type { Plan } from '../../src/plan/types.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import { activitySummaries } from '../activity-summaries.ts';
import { runFailure } from '../failures.ts';

/** A host that does not respond within this time is ignored. */
const probeTimeout = '10s';
const maxConcurrentProbes = 50;

/** Where the work runs. `isHostChosen` is false only in the first attempt, before hosts are checked. */
export interface HostPlacement {
  context: RunContext;
  isHostChosen: boolean;
}

/**
 * Runs the work. If it fails because several hosts could do it, finds the host with the folders and runs it there.
 * @throws ApplicationFailure if no host can be chosen, or if no worker runs on the named host
 */
export async function runOnHost<T>(
  plan: Plan,
  context: RunContext,
  task: (placement: HostPlacement) => Promise<T>,
): Promise<T> {
  try {
    return await task({ context, isHostChosen: false });
  } catch (error) {
    if (context.host !== undefined) return await retryOnNamedHost(context, error, task);
    const hosts = severalHostsOf(error);
    if (hosts === null) throw error;
    const host = await chooseHostOfRun(plan, context, hosts);
    const placement = host === null ? context : { ...context, host };
    return await task({ context: placement, isHostChosen: true });
  }
}

/** Retries the work on the named host if it did not start in time although a worker runs there, because it was busy. */
async function retryOnNamedHost<T>(
  context: RunContext & { host?: string },
  error: unknown,
  task: (placement: HostPlacement) => Promise<T>,
): Promise<T> {
  if (!isNotStartedFailure(error)) throw error;
  const { host = '', ...hostlessContext } = context;
  const { here } = await proxyEngineActivity('findHost', hostlessContext)({ host });
  if (here) return await task({ context, isHostChosen: true });
  throw runFailure({
    code: 'HOST_AWAY' satisfies WorkflowFailureCode,
    message: `no worker runs on the host "${host}", whose folders the run needs`,
    fix: `Start one: \`renderline worker --host "${host}"\`; or correct \`host:\` of the local connectors`,
    kind: 'never',
  });
}

export function isNotStartedFailure(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) return false;
  return error.cause.timeoutType === 'SCHEDULE_TO_START';
}

function severalHostsOf(error: unknown): string[] | null {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure) || cause.type !== severalHostsType) return null;
  return (cause.details?.[0] as string[] | undefined) ?? null;
}

async function chooseHostOfRun(
  plan: Plan,
  context: RunContext,
  hosts: string[],
): Promise<string | null> {
  const folders = localFoldersOf(plan);
  const paths = folders.map(({ path }) => path);
  const viewOf = async (host: string): Promise<HostView[]> => {
    try {
      return [{ host, folders: await probe(host, context, paths) }];
    } catch (error) {
      if (isNotStartedFailure(error)) return [];
      throw error;
    }
  };
  const views: HostView[] = [];
  for (const hostChunk of chunks(hosts, maxConcurrentProbes))
    views.push(...(await Promise.all(hostChunk.map(viewOf))).flat());
  const choice = chooseHost(folders, views);
  if ('host' in choice) return choice.host;
  throw runFailure({
    code: 'FOLDERS_APART' satisfies WorkflowFailureCode,
    message: `the run's workers are on several hosts, each with its own folders: ${choice.conflict}`,
    fix: 'Set `host:` on the local connectors of the file, use `renderline run --host NAME`, or use a folder that all hosts share',
    kind: 'never',
  });
}

function probe(host: string, context: RunContext, paths: string[]): Promise<HostView['folders']> {
  return scheduleActivity('probeFolders', [{ context, paths }], {
    taskQueue: urgentQueueOf(hostQueue(workflowInfo().taskQueue, host)),
    priority: priorityOf(context),
    scheduleToStartTimeout: probeTimeout,
    startToCloseTimeout: '30s',
    retry: { maximumAttempts: 3 },
    summary: `${activitySummaries.probeFolders}: ${host}`.slice(0, 190),
  });
}
