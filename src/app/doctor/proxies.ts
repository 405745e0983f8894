// Checks of `doctor` about proxies: which addresses are reached through a proxy. None if no variable names a proxy.
import { type Proxy, ProxyError, proxyFor, proxyVariables } from '../../api/network/proxy.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Config } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { otlpTarget } from '../../settings/otel.ts';
import { temporalProxy } from '../../temporal/connection/temporal-proxy.ts';
import { temporalSettings } from '../../temporal/connection/temporal-settings.ts';
import { type Check, failedCheck, passedCheck } from './health-check.ts';

const variables = [...proxyVariables, 'grpc_proxy'];
const name = 'proxy';

/** @param isTemporalUsable false if the settings of Temporal are invalid, which another check reports */
export function checkProxies(config: Config, env: Environment, isTemporalUsable: boolean): Check[] {
  if (!variables.some((variable) => env[variable]?.trim())) return [];
  const addresses: (readonly [what: string, address: string | null | undefined])[] = [
    ['the platform', config.baseUrl.value],
    ['the receiver', config.wakeUpsUrl.value],
    ['traces', otlpTarget('traces', env)?.url],
  ];
  const temporal = isTemporalUsable ? temporalSettings(env) : null;
  return [
    ...addresses.flatMap(([label, address]) =>
      address
        ? [checkProxy(`${label}, ${new URL(address).host}`, () => proxyFor(new URL(address), env))]
        : [],
    ),
    ...(temporal === null
      ? []
      : [checkProxy(`Temporal, ${temporal.address}`, () => temporalProxy(temporal, env))]),
    // A reserved name stands for every host that NO_PROXY does not name.
    checkProxy('other hosts (signed links, buckets, notices)', () =>
      proxyFor(new URL('https://other.invalid'), env),
    ),
    passedCheck(name, `SFTP: always directly`),
  ];
}

function checkProxy(label: string, find: () => Proxy | null): Check {
  try {
    const proxy = find();
    return passedCheck(name, `${label}: ${proxy === null ? 'directly' : `through ${proxy.label}`}`);
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return failedCheck(name, error.message, 'Correct the variable, or unset it.', exitCode.usage);
  }
}
