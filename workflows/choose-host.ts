// Chooses where the discovery of a run is done: on any host, on the host that the file names, or on the one that has
// the run's folders.
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { scheduleActivity, workflowInfo } from '@temporalio/workflow';
import { severalHostsType } from '../src/plan/contract.ts';
import { chooseHost, type HostView, localFolders } from '../src/plan/folders.ts';
import type { OwnCode } from '../src/plan/own-code.ts';
import { priorityOf } from '../src/plan/priority.ts';
import { hostQueue, urgentQueue } from '../src/plan/queues.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import type { Plan } from '../src/plan/types.ts';
import { booksOf } from './activity-options.ts';
import { endOfRun } from './failures.ts';

/** A host that does not respond within this time is ignored. */
const answersWithin = '10s';

/** Where the work is done. `isSettled`: the host has been chosen. */
export interface Placed {
  context: RunContext;
  isSettled: boolean;
}

/**
 * Does the work. If several hosts could do it, first asks which of them has the folders.
 * @throws ApplicationFailure if no host can be chosen, or if no worker runs on the named host
 */
export async function onItsHost<T>(
  plan: Plan,
  context: RunContext,
  work: (placed: Placed) => Promise<T>,
): Promise<T> {
  try {
    return await work({ context, isSettled: false });
  } catch (error) {
    if (context.host !== undefined) return await onceThere(context, error, work);
    const hosts = severalHostsOf(error);
    if (hosts === null) throw error;
    const host = await hostOf(plan, context, hosts);
    const placed = host === null ? context : { ...context, host };
    return await work({ context: placed, isSettled: true });
  }
}

/** Retries on the named host: if a worker runs there, it was only busy. */
async function onceThere<T>(
  context: RunContext & { host?: string },
  error: unknown,
  work: (placed: Placed) => Promise<T>,
): Promise<T> {
  if (!isNotTaken(error)) throw error;
  const { host = '', ...elsewhere } = context;
  const { here } = await booksOf(elsewhere).find_host({ host });
  if (here) return await work({ context, isSettled: true });
  throw endOfRun({
    code: 'HOST_AWAY' satisfies OwnCode,
    message: `no worker runs on the host "${host}", whose folders the run needs`,
    fix: `Start one there: \`renderline worker --host "${host}"\`; or correct \`host:\` of the local connectors`,
    kind: 'never',
  });
}

function isNotTaken(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) return false;
  return error.cause.timeoutType === 'SCHEDULE_TO_START';
}

function severalHostsOf(error: unknown): string[] | null {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure) || cause.type !== severalHostsType) return null;
  return (cause.details?.[0] as string[] | undefined) ?? null;
}

async function hostOf(plan: Plan, context: RunContext, hosts: string[]): Promise<string | null> {
  const folders = localFolders(plan);
  const paths = folders.map(({ path }) => path);
  const asked = hosts.map(async (host): Promise<HostView[]> => {
    try {
      return [{ host, folders: await probe(host, context, paths) }];
    } catch (error) {
      if (isNotTaken(error)) return [];
      throw error;
    }
  });
  const choice = chooseHost(folders, (await Promise.all(asked)).flat());
  if ('host' in choice) return choice.host;
  throw endOfRun({
    code: 'FOLDERS_APART' satisfies OwnCode,
    message: `the run's workers are on several hosts with folders of their own: ${choice.apart}`,
    fix: 'Name the host with `host:` at the local connectors of the file, or with `renderline run --host NAME`; or use a folder that all of them share',
    kind: 'never',
  });
}

function probe(host: string, context: RunContext, paths: string[]): Promise<HostView['folders']> {
  return scheduleActivity('probe_folders', [{ context, paths }], {
    taskQueue: urgentQueue(hostQueue(workflowInfo().taskQueue, host)),
    priority: priorityOf(context),
    scheduleToStartTimeout: answersWithin,
    startToCloseTimeout: '30s',
    retry: { maximumAttempts: 3 },
    summary: host.slice(0, 190),
  });
}
