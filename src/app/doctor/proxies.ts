// `doctor` checks: which addresses are reached through a proxy. Empty if no variable sets a proxy.
import { findProxy, type Proxy, ProxyError, proxyVariables } from '../../api/network/proxy.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Config } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { readOtlpTarget } from '../../settings/otel.ts';
import { readTemporalSettings } from '../../temporal/connection/read-temporal-settings.ts';
import { findTemporalProxy } from '../../temporal/connection/temporal-proxy.ts';
import { type Check, createFailedCheck, createPassedCheck } from './health-check.ts';

const variables = [...proxyVariables, 'grpc_proxy'];
const name = 'proxy';

/** @param isTemporalUsable false if the Temporal settings are invalid, which another check reports */
export function checkProxies(config: Config, env: Environment, isTemporalUsable: boolean): Check[] {
  if (!variables.some((variable) => env[variable]?.trim())) return [];
  const addresses: (readonly [what: string, address: string | null | undefined])[] = [
    ['the platform', config.baseUrl.value],
    ['the receiver', config.wakeUpsUrl.value],
    ['traces', readOtlpTarget('traces', env)?.url],
  ];
  const temporal = isTemporalUsable ? readTemporalSettings(env) : null;
  return [
    ...addresses.flatMap(([label, address]) =>
      address
        ? [checkProxy(`${label}, ${new URL(address).host}`, () => findProxy(new URL(address), env))]
        : [],
    ),
    ...(temporal === null
      ? []
      : [checkProxy(`Temporal, ${temporal.address}`, () => findTemporalProxy(temporal, env))]),
    // A reserved host name stands for all hosts that NO_PROXY does not list.
    checkProxy('other hosts (signed links, buckets, notices)', () =>
      findProxy(new URL('https://other.invalid'), env),
    ),
    createPassedCheck(name, `SFTP: always directly`),
  ];
}

function checkProxy(label: string, find: () => Proxy | null): Check {
  try {
    const proxy = find();
    return createPassedCheck(
      name,
      `${label}: ${proxy === null ? 'directly' : `through ${proxy.label}`}`,
    );
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return createFailedCheck(
      name,
      error.message,
      'Correct the variable, or unset it.',
      exitCode.usage,
    );
  }
}
