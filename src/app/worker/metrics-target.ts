// Chooses where a process serves or pushes metrics, based on its options and environment variables.
import { lookup } from 'node:dns/promises';
import type { MetricsExporterConfig } from '@temporalio/worker';
import { commandFailures } from '../../failures/commands.ts';
import type { Environment } from '../../settings/environment.ts';
import { type OtlpTarget, readOtlpTarget } from '../../settings/otel.ts';
import { listBucketsByName } from '../../telemetry/meters.ts';
import { findFreePorts, isPortFree } from '../../temporal/server/free-ports.ts';
import { readPort } from '../parse-port.ts';
import { RenderlineError, usageError } from '../renderline-error.ts';

export interface MetricsOptions {
  metricsPort?: number | undefined;
  metricsHost?: string | undefined;
}

export interface MetricsTarget {
  exporter: MetricsExporterConfig;
  /** URL that Prometheus scrapes. Null if metrics are pushed. */
  url: string | null;
}

const portVariable = 'RENDERLINE_METRICS_PORT';
const hostVariable = 'RENDERLINE_METRICS_HOST';
/** Interval between pushes of metrics. It is short, so that few values are lost when a worker stops. */
const pushIntervalMs = 15_000;

/**
 * Chooses the exporter. Null if metrics are not configured. A port overrides a collector, as there is one exporter.
 * @throws RenderlineError for a port that is in use, or a host that is not an address of this machine
 */
export async function chooseMetricsTarget(
  { metricsPort, metricsHost }: MetricsOptions,
  env: Environment,
): Promise<MetricsTarget | null> {
  const port = metricsPort ?? readPort(portVariable, env);
  if (port !== undefined) {
    return createPrometheusTarget({
      port,
      portOrigin: metricsPort === undefined ? portVariable : '--metrics-port',
      host: metricsHost ?? (env[hostVariable] || '127.0.0.1'),
      hostOrigin: metricsHost === undefined && env[hostVariable] ? hostVariable : '--metrics-host',
    });
  }
  const target = readOtlpTarget('metrics', env);
  return target === null ? null : { exporter: createOtlpExporter(target), url: null };
}

const commonOptions = { attachServiceName: false } as const;

/** Each origin is the option or variable that contains the value. */
interface Endpoint {
  port: number;
  portOrigin: string;
  host: string;
  hostOrigin: string;
}

async function createPrometheusTarget(endpoint: Endpoint): Promise<MetricsTarget> {
  const { host, portOrigin, hostOrigin } = endpoint;
  const address = await resolveHost(host, hostOrigin);
  const [port = endpoint.port] =
    endpoint.port === 0 ? await findFreePorts(1, address) : [endpoint.port];
  if (!(await isPortFree(port, address))) {
    const message = `Metrics cannot be served at ${host} port ${port}.`;
    throw new RenderlineError(commandFailures.EADDRINUSE, message, {
      fix: `Change ${portOrigin}, or set ${hostOrigin} to a local address.`,
    });
  }
  const bindAddress = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    exporter: {
      ...commonOptions,
      prometheus: {
        bindAddress,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
        histogramBucketOverrides: listBucketsByName(),
      },
    },
    url: `http://${bindAddress}/metrics`,
  };
}

/** Resolves a host name, because the runtime can bind only to IP addresses. */
async function resolveHost(host: string, origin: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch {
    const fix = 'Use an address of this machine, such as 127.0.0.1 or 0.0.0.0.';
    throw usageError(`${origin} ${host} cannot be resolved to an address.`, fix);
  }
}

function createOtlpExporter({ url, protocol, headers }: OtlpTarget): MetricsExporterConfig {
  return {
    ...commonOptions,
    otel: {
      url,
      http: protocol === 'http/protobuf',
      headers: { ...headers },
      metricsExportInterval: pushIntervalMs,
      useSecondsForDurations: true,
      histogramBucketOverrides: listBucketsByName(),
    },
  };
}
