// Checks of `doctor` about secrets for signing notices, in pipelines that schedules start.
import type { Client } from '@temporalio/client';
import type { Plan } from '../../plan/types.ts';
import type { Environment } from '../../settings/environment.ts';
import { tolerantClient } from '../../temporal/codec/tolerant-reader.ts';
import { describeMissingSecrets } from '../missing-secrets.ts';
import { scheduledRunStart } from '../schedules/schedule-facts.ts';
import { findSchedule, listScheduleNames } from '../schedules/temporal-schedules.ts';
import { type Check, warn } from './health-check.ts';

/** Each schedule costs a request, so only the first ones are checked. */
const schedulesRead = 50;

export async function checkSecrets(client: Client, env: Environment): Promise<Check[]> {
  const names = (await listScheduleNames(client)).slice(0, schedulesRead);
  const found = await Promise.all(names.map((name) => findSchedule(tolerantClient(client), name)));
  const plans = found.flatMap((live) => (live && scheduledRunStart(live)?.plan) ?? []);
  return checkPlanSecrets(plans, env);
}

/** Warns of each secret that is missing on this machine. Machines with workers need all of them. */
export function checkPlanSecrets(
  plans: readonly Pick<Plan, 'pipeline' | 'notify' | 'steps'>[],
  env: Environment,
): Check[] {
  const nameUser = ({ pipeline }: (typeof plans)[number], key: string) => `${pipeline}, ${key}`;
  return describeMissingSecrets(plans, env, nameUser).map((line) => warn('secrets', line, ''));
}
