// The operator's rules for pipeline files. They come from the environment, never from a file.
import { allowedHosts, type Hosts } from '../api/allowed-hosts.ts';
import type { Network } from '../api/network-guard.ts';
import type { Environment } from './environment.ts';
import { namedSecret, type SecretNamed } from './secret-names.ts';

export interface Guard {
  secretNamed: SecretNamed;
  /** Network that receivers of files may be in, as for the transfers of the same process. */
  network: Network;
  /** Hosts that may be reached by plain http, and at private addresses. */
  hosts: Hosts;
}

export function guardOf(env: Environment, network: Network): Guard {
  return {
    secretNamed: (name, field) => namedSecret(name, field, env),
    network,
    hosts: allowedHosts(env),
  };
}
