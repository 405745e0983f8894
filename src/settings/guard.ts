// The operator's rules for pipeline files. They come from the environment, never from a file.
import { allowedHosts, type Hosts } from '../api/allowed-hosts.ts';
import type { Network } from '../api/network-guard.ts';
import type { Environment } from './environment.ts';
import { namedSecret, type SecretNamed } from './secret-names.ts';

export interface Guard {
  secretNamed: SecretNamed;
  /** Network that receivers of files may be in, as for the transfers of the same process. */
  network: Network;
  /** Hosts and addresses that the operator names: by plain http, at private addresses, for credentials. */
  hosts: Hosts;
  /** How long a receiver that has not taken a notice is left alone at first, ms; absent: 5 s. It doubles each time. */
  noticePauseMs?: number;
}

export function guardOf(env: Environment, network: Network): Guard {
  const noticePauseMs = Number(env['RENDERLINE_NOTICE_PAUSE_MS'] || Number.NaN);
  return {
    ...(noticePauseMs > 0 ? { noticePauseMs } : {}),
    secretNamed: (name, field) => namedSecret(name, field, env),
    network,
    hosts: allowedHosts(env),
  };
}
