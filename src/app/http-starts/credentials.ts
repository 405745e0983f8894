// The credentials with which the runs of a pipeline may be started here: values of variables that its file names.
import type { Credential } from '../../receiver/runs/credentials.ts';
import type { Environment } from '../../settings/environment.ts';
import { minSecretLength } from '../../settings/secrets/bearer-token.ts';
import { readSecret } from '../../settings/secrets/secret-names.ts';
import type { StoredStart } from './stored-start.ts';

export interface StartCredentials {
  credentials: Credential[];
  /** Why a named variable cannot be used, with the fix; never its value. */
  problems: string[];
}

export function readCredentials(
  { pipeline, secretFrom, tokenFrom }: Pick<StoredStart, 'pipeline' | 'secretFrom' | 'tokenFrom'>,
  env: Environment,
): StartCredentials {
  const read: StartCredentials = { credentials: [], problems: [] };
  const add = (kind: Credential['kind'], name: string) => {
    const value = readSecret(name, `start.http.${kind}From`, env);
    if ('value' in value && value.value.length >= minSecretLength) {
      read.credentials.push({ kind, name, value: value.value });
      return;
    }
    const why = 'value' in value ? `has less than ${minSecretLength} characters` : value.why;
    const isMissing = 'value' in value || value.code === 'not-set';
    const fix = isMissing
      ? 'set it in the environment of the receiver, for example to the output of `openssl rand -hex 32`'
      : value.fix;
    read.problems.push(`${pipeline}: ${name} ${why}; ${fix}`);
  };
  for (const name of secretFrom) add('secret', name);
  for (const name of tokenFrom) add('token', name);
  return read;
}
