// Notes missing webhook secrets before a run needs them, since workers often share the environment of the command line.
import { receiverSecrets } from '../plan/contract/receiver-secrets.ts';
import type { Plan } from '../plan/types.ts';
import { missingSecrets } from '../settings/secrets/missing-secrets.ts';
import { readSecret } from '../settings/secrets/secret-names.ts';
import type { App } from './app.ts';

/** Notes each missing secret once. This is only a note, because a worker on another machine may have the secret. */
export function noteMissingSecrets(app: App, plans: readonly Plan[]): void {
  const lookUpSecret = (name: string, field: string) => readSecret(name, field, app.env);
  const warnings = plans.flatMap((plan) =>
    missingSecrets(receiverSecrets(plan), lookUpSecret, 'this machine'),
  );
  for (const line of new Set(warnings.map(({ key, message }) => `${key}: ${message}`))) {
    app.note(line);
  }
}
