// Which variables of the environment a pipeline file may name, and the only way from such a name to its value. A file
// may come from anybody and names servers of its own, so the process that has the variables decides, never the file.
import type { Environment } from './environment.ts';

/** Prefix of variables that every file may name; an operator sets nothing else under it. */
const prefix = 'RENDERLINE_SECRET_';

/** Holds further names, with commas between them. */
export const allowVariable = 'RENDERLINE_ALLOW_SECRETS';

/** The form of a variable's name. Any other text in its place may be a secret, and is not repeated. */
export const variableName = /^[A-Z][A-Z0-9_]{0,99}$/;

/** Variables of the worker itself: its keys to the platform, to Temporal and to the clouds, and the secrets of webhooks. */
const ownFamilies = /^(?:RENDERLINE|TEMPORAL|AWS|AZURE|GOOGLE|GCLOUD|GCP|CLOUDSDK)_/i;

/** Read without being named by the connectors that need them. */
const readAnyway = new Set(['AZURE_STORAGE_CONNECTION_STRING', 'GOOGLE_APPLICATION_CREDENTIALS']);

/** Why a secret cannot be had, in words behind its name, and what would help. */
export interface NoSecret {
  code: 'own' | 'not-allowed' | 'not-set';
  why: string;
  fix: string;
}

export type NamedSecret = { value: string } | NoSecret;

/** Secrets of this process, by the name that `field` of a file gives. */
export type SecretNamed = (name: string, field: string) => NamedSecret;

/** The names on the operator's list, as they stand there. */
export function allowedSecrets(env: Environment): ReadonlySet<string> {
  const names = (env[allowVariable] ?? '').split(',').map((name) => name.trim());
  return new Set(names.filter((name) => name !== ''));
}

/** True for the worker's own variables, which no file may name, whatever the operator's list says. */
export function isOwnVariable(name: string): boolean {
  return ownFamilies.test(name) && !name.startsWith(prefix);
}

/**
 * Why a file may not name this variable; null where it may.
 * @param field that names it, for the line that would be right
 */
export function refuseSecretName(
  name: string,
  field: string,
  allowed: ReadonlySet<string>,
): NoSecret | null {
  if (isOwnVariable(name)) {
    const fix = readAnyway.has(name)
      ? `leave \`${field}\` out: ${name} is read without it`
      : `put what is needed there into a variable of its own and name that: \`${field}: ${prefix}…\``;
    const why = `belongs to the worker itself, and no file may name it, whatever ${allowVariable} says`;
    return { code: 'own', why, fix };
  }
  if (name.startsWith(prefix) || allowed.has(name)) return null;
  return {
    code: 'not-allowed',
    why: `does not begin with ${prefix}, and ${allowVariable} does not allow it`,
    fix: `rename the variable and write \`${field}: ${renamed(name)}\`, or set ${allowVariable}=${name} in the environment of the worker and of the command`,
  };
}

/** The value of a variable that `field` of a file names. It must not leave the request that it is for. */
export function namedSecret(name: string, field: string, env: Environment): NamedSecret {
  const refusal = refuseSecretName(name, field, allowedSecrets(env));
  if (refusal !== null) return refusal;
  const value = env[name];
  if (value !== undefined && value !== '') return { value };
  const fix = `set ${name} in the environment of the worker and of the command`;
  return { code: 'not-set', why: 'is not set', fix };
}

/** Variables that hold a secret by their names: keys, not the paths of files with them. */
const secretEnding = /(?:KEY|SECRET|SECRETS|TOKEN|PASSWORD|CONNECTION_STRING)$/i;

/** Every secret of this process that has a name of ours: what files may name, and what belongs to the process itself. */
export function secretValues(env: Environment): string[] {
  const allowed = allowedSecrets(env);
  return Object.entries(env)
    .flatMap(([name, value]) => {
      const isSecret =
        name.startsWith(prefix) ||
        allowed.has(name) ||
        (isOwnVariable(name) && secretEnding.test(name));
      return isSecret && value ? [value] : [];
    })
    .concat(codecSecrets(env));
}

/** The keys without their ids, which are no secrets. */
function codecSecrets(env: Environment): string[] {
  const entries = (env['RENDERLINE_CODEC_KEYS'] ?? '').split(',');
  return entries.flatMap((entry) => entry.split(':', 2)[1]?.trim() || []);
}

/** SHOP_SECRET as RENDERLINE_SECRET_SHOP. */
function renamed(name: string): string {
  return `${prefix}${name.replace(/(?<=.)_SECRET$/, '')}`;
}
