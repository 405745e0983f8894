// The credentials that callers need to start runs of a pipeline here: the values of variables listed in its file.
import type { Credential } from '../../receiver/runs/credentials.ts';
import type { Environment } from '../../settings/environment.ts';
import { minSecretLength } from '../../settings/secrets/bearer-token.ts';
import { readSecret } from '../../settings/secrets/secret-names.ts';
import type { StoredStart } from './stored-start.ts';

export interface StartCredentials {
  credentials: Credential[];
  /** Why a listed variable cannot be used, with the fix. Never contains its value. */
  problems: string[];
}

export function readCredentials(
  { pipeline, secretFrom, tokenFrom }: Pick<StoredStart, 'pipeline' | 'secretFrom' | 'tokenFrom'>,
  env: Environment,
): StartCredentials {
  const result: StartCredentials = { credentials: [], problems: [] };
  const add = (kind: Credential['kind'], name: string) => {
    const secret = readSecret(name, `start.http.${kind}From`, env);
    const setFix =
      'set it in the environment of the receiver, for example to the output of `openssl rand -hex 32`';
    if (!('value' in secret)) {
      const fix = secret.code === 'not-set' ? setFix : secret.fix;
      result.problems.push(`${pipeline}: ${name} ${secret.reason}; ${fix}`);
    } else if (secret.value.length < minSecretLength) {
      const problem = `has fewer than ${minSecretLength} characters`;
      result.problems.push(`${pipeline}: ${name} ${problem}; ${setFix}`);
    } else result.credentials.push({ kind, name, value: secret.value });
  };
  for (const name of secretFrom) add('secret', name);
  for (const name of tokenFrom) add('token', name);
  return result;
}
