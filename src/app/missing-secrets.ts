// Finds missing webhook secrets before a run needs them. Workers often share the environment of the command line.
import { receiverSecretsOf } from '../plan/contract/receiver-secrets.ts';
import type { Plan } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { findMissingSecrets } from '../settings/secrets/find-missing-secrets.ts';
import { readSecret } from '../settings/secrets/secret-names.ts';
import type { App } from './app.ts';

type PlanWithSecrets = Pick<Plan, 'pipeline' | 'notify' | 'steps'>;

/** Notes each missing secret once. This is only a note, because a worker on another machine may have the secret. */
export function noteMissingSecrets(app: App, plans: readonly PlanWithSecrets[]): void {
  for (const line of describeMissingSecrets(plans, app.env, (_plan, key) => key)) app.note(line);
}

/** Formats a line with the fix for each missing secret. @param nameUser returns where a plan uses the secret */
export function describeMissingSecrets(
  plans: readonly PlanWithSecrets[],
  env: Environment,
  nameUser: (plan: PlanWithSecrets, key: string) => string,
): string[] {
  const lookUpSecret = (name: string, field: string) => readSecret(name, field, env);
  const lines = plans.flatMap((plan) =>
    findMissingSecrets(receiverSecretsOf(plan), lookUpSecret, 'this machine').map(
      ({ key, message }) => `${nameUser(plan, key)}: ${message}`,
    ),
  );
  return [...new Set(lines)];
}
