// Which secrets of receivers a process lacks: known before a notice is due, and told then.
import type { RunWarning } from '../plan/contract.ts';
import type { ReceiverSecret } from '../plan/receiver-secrets.ts';
import type { SecretNamed } from './secret-names.ts';

/** One warning for each secret that `who` (`this machine`, `worker`) has not, with what to do. */
export function missingSecrets(
  named: readonly ReceiverSecret[],
  secretNamed: SecretNamed,
  who: string,
): RunWarning[] {
  return named.flatMap(({ node, field, name }) => {
    const secret = secretNamed(name, field);
    if ('value' in secret) return [];
    const message =
      secret.code === 'not-set'
        ? `${who} has no ${name} (\`${field}\`), and without it nobody is told: set it in the environment of every worker`
        : `${name} (\`${field}\`) ${secret.why}, and without it nobody is told; ${secret.fix}`;
    return [{ key: node, message }];
  });
}
