// The operator's rules for pipeline files. They are read from the environment, never from a file.
import { type Hosts, readAllowedHosts } from '../api/network/allowed-hosts.ts';
import type { Network } from '../api/network/network-guard.ts';
import type { Environment } from './environment.ts';
import { readSecret, type SecretLookup } from './secrets/secret-names.ts';

export interface OperatorRules {
  lookUpSecret: SecretLookup;
  /** `public`: receivers that files name must have public addresses, unless `hosts` allows others. */
  network: Network;
  /** Hosts that the operator allows for plain http, for private addresses and for credentials. */
  hosts: Hosts;
  /** First retry delay for a notice, ms. Defaults to 5 s. The delay doubles with each attempt. */
  noticeRetryMs?: number;
}

export function readOperatorRules(env: Environment, network: Network): OperatorRules {
  const noticeRetryMs = Number(env['RENDERLINE_NOTICE_PAUSE_MS'] || Number.NaN);
  return {
    ...(noticeRetryMs > 0 ? { noticeRetryMs: noticeRetryMs } : {}),
    lookUpSecret: (name, field) => readSecret(name, field, env),
    network,
    hosts: readAllowedHosts(env),
  };
}
