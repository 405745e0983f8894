// Decides which environment variables a pipeline file may use, and reads their values. A file may come from anybody and
// specify its own servers, so the process with the variables decides, never the file.
import type { Environment } from '../environment.ts';

/** Prefix of variables that every file may use. */
const prefix = 'RENDERLINE_SECRET_';

/** Variable with additional allowed names, separated by commas. */
export const allowSecretsVariable = 'RENDERLINE_ALLOW_SECRETS';

/** Valid variable names. Any other text may be a secret written there by mistake, so messages do not show it. */
export const variableName = /^[A-Z][A-Z0-9_]{0,99}$/;

/**
 * Variables of the worker itself: its keys to the platform, to Temporal and to the clouds, and the secrets of webhooks.
 */
const workerVariablePattern = /^(?:RENDERLINE|TEMPORAL|AWS|AZURE|GOOGLE|GCLOUD|GCP|CLOUDSDK)_/i;

/** Variables that connectors read by themselves, without a field that refers to them. */
const readByConnectors = new Set([
  'AZURE_STORAGE_CONNECTION_STRING',
  'GOOGLE_APPLICATION_CREDENTIALS',
]);

/** Why a secret is not available, as text that follows its name, and how to fix it. */
export interface SecretProblem {
  code: 'own' | 'not-allowed' | 'not-set';
  reason: string;
  fix: string;
}

export type SecretResult = { value: string } | SecretProblem;

/** Looks up a secret of this process by the name in `field` of a file. */
export type SecretLookup = (name: string, field: string) => SecretResult;

/** Reads the names on the operator's list. */
export function readAllowedSecrets(env: Environment): ReadonlySet<string> {
  const names = (env[allowSecretsVariable] ?? '').split(',').map((name) => name.trim());
  return new Set(names.filter((name) => name !== ''));
}

/** True for variables of the worker itself. No file may use them, even if they are on the operator's list. */
export function isWorkerVariable(name: string): boolean {
  return workerVariablePattern.test(name) && !name.startsWith(prefix);
}

/**
 * Returns why a file may not use this variable, or null if it may.
 * @param field the field that contains the variable's name, for the fix
 */
export function findSecretNameProblem(
  name: string,
  field: string,
  allowedNames: ReadonlySet<string>,
): SecretProblem | null {
  if (isWorkerVariable(name)) {
    const fix = readByConnectors.has(name)
      ? `remove \`${field}\`: ${name} is read without it`
      : `copy the value into a separate variable and use its name: \`${field}: ${prefix}…\``;
    const reason = `belongs to the worker itself, and no file may use it, even if ${allowSecretsVariable} lists it`;
    return { code: 'own', reason, fix };
  }
  if (name.startsWith(prefix) || allowedNames.has(name)) return null;
  return {
    code: 'not-allowed',
    reason: `does not begin with ${prefix}, and ${allowSecretsVariable} does not allow it`,
    fix: `rename the variable and write \`${field}: ${suggestName(name)}\`, or set ${allowSecretsVariable}=${name} in the environment of the worker and of the command`,
  };
}

/** Returns the value of a variable in `field` of a file. Use the value only for the request that needs it. */
export function readSecret(name: string, field: string, env: Environment): SecretResult {
  const refusal = findSecretNameProblem(name, field, readAllowedSecrets(env));
  if (refusal !== null) return refusal;
  const value = env[name];
  if (value !== undefined && value !== '') return { value };
  const fix = `set ${name} in the environment of the worker and of the command`;
  return { code: 'not-set', reason: 'is not set', fix };
}

/** Names of variables with secrets: keys, but not paths of key files. */
const secretEnding = /(?:KEY|SECRET|SECRETS|TOKEN|PASSWORD|CONNECTION_STRING)$/i;

/** Reads all secrets in the environment (for files, and of the worker itself), which are removed from messages. */
export function readSecretValues(env: Environment): string[] {
  const allowedNames = readAllowedSecrets(env);
  return Object.entries(env)
    .flatMap(([name, value]) => {
      const isSecret =
        name.startsWith(prefix) ||
        allowedNames.has(name) ||
        (isWorkerVariable(name) && secretEnding.test(name));
      return isSecret && value ? [value] : [];
    })
    .concat(readCodecSecrets(env));
}

/** Reads the encryption keys without their ids, which are not secret. */
function readCodecSecrets(env: Environment): string[] {
  const entries = (env['RENDERLINE_CODEC_KEYS'] ?? '').split(',');
  return entries.flatMap((entry) => entry.split(':', 2)[1]?.trim() || []);
}

/** Suggests RENDERLINE_SECRET_SHOP for SHOP_SECRET. */
function suggestName(name: string): string {
  return `${prefix}${name.replace(/(?<=.)_SECRET$/, '')}`;
}
