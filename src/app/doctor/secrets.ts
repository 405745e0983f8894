// Checks of `doctor` about secrets: of notices of scheduled pipelines, and of programs that start runs over HTTP.
import type { Client, ScheduleDescription } from '@temporalio/client';
import type { Plan } from '../../plan/types.ts';
import type { Environment } from '../../settings/environment.ts';
import { readCredentials } from '../http-starts/credentials.ts';
import { listStoredStarts } from '../http-starts/stored-start.ts';
import { describeMissingSecrets } from '../missing-secrets.ts';
import { findRunStart } from '../schedules/schedule-facts.ts';
import { type Check, createPassedCheck, createWarningCheck } from './health-check.ts';

export function checkSecrets(schedules: readonly ScheduleDescription[], env: Environment): Check[] {
  return checkPlanSecrets(
    schedules.flatMap((live) => findRunStart(live)?.plan ?? []),
    env,
  );
}

/** Warns about each secret that is missing on this machine. Machines with workers need all of them. */
export function checkPlanSecrets(
  plans: readonly Pick<Plan, 'pipeline' | 'notify' | 'steps'>[],
  env: Environment,
): Check[] {
  const lines = describeMissingSecrets(plans, env, ({ pipeline }, key) => `${pipeline}, ${key}`);
  return lines.map((line) => createWarningCheck('secrets', line, ''));
}

/** Lists the pipelines that may be started over HTTP, and warns about credentials that a receiver here would lack. */
export async function checkHttpStarts(
  client: Client,
  taskQueue: string,
  env: Environment,
): Promise<Check[]> {
  const starts = await listStoredStarts(client, taskQueue);
  const problems = starts.flatMap((start) => readCredentials(start, env).problems);
  const names = starts.map(({ pipeline }) => pipeline).join(', ');
  return [
    ...(starts.length === 0
      ? []
      : [createPassedCheck('http', `pipelines that may be started by HTTP: ${names}`)]),
    ...problems.map((problem) =>
      createWarningCheck('http', problem, 'Only machines with a receiver need this variable.'),
    ),
  ];
}
