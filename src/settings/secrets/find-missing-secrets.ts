// Warns early if this process lacks secrets of notice receivers.
import type { RunWarning } from '../../plan/contract/contract.ts';
import type { ReceiverSecret } from '../../plan/contract/receiver-secrets.ts';
import type { SecretLookup } from './secret-names.ts';

/** Creates a warning with a fix for each missing or disallowed secret. @param who `this machine` or `worker` */
export function findMissingSecrets(
  receiverSecrets: readonly ReceiverSecret[],
  lookUpSecret: SecretLookup,
  who: string,
): RunWarning[] {
  return receiverSecrets.flatMap(({ node, field, name }) => {
    const secret = lookUpSecret(name, field);
    if ('value' in secret) return [];
    const message =
      secret.code === 'not-set'
        ? `${who} has no ${name} (\`${field}\`), so no notice is sent: set it in the environment of every worker`
        : `${name} (\`${field}\`) ${secret.reason}, so no notice is sent; ${secret.fix}`;
    return [{ key: node, message }];
  });
}
