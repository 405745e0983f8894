// Where a process serves its metrics, or pushes them to, by its flags and variables.
import { lookup } from 'node:dns/promises';
import type { MetricsExporterConfig } from '@temporalio/worker';
import { commandFailures } from '../failures/commands.ts';
import type { Environment } from '../settings/environment.ts';
import { type OtlpTarget, otlpTarget } from '../settings/otel.ts';
import { bucketsByName } from '../telemetry/meters.ts';
import { freePorts, isFreePort } from '../temporal/free-ports.ts';
import { CliError } from './exit.ts';
import { portNumber } from './params.ts';

export interface MetricsFlags {
  metricsPort?: number | undefined;
  metricsHost?: string | undefined;
}

export interface MetricsPlace {
  exporter: MetricsExporterConfig;
  /** Address that Prometheus reads; null: they are pushed. */
  url: string | null;
}

const portVariable = 'RENDERLINE_METRICS_PORT';
const hostVariable = 'RENDERLINE_METRICS_HOST';
/** Often enough that a worker that is stopped loses little. */
const pushEveryMs = 15_000;

/**
 * null where nobody wants metrics. A port comes before a collector: the runtime has one exporter.
 * @throws CliError for a port that is taken, or a host that is not of this machine
 */
export async function metricsPlace(
  { metricsPort, metricsHost }: MetricsFlags,
  env: Environment,
): Promise<MetricsPlace | null> {
  const said = env[portVariable] || undefined;
  const port = metricsPort ?? (said === undefined ? undefined : portNumber(portVariable)(said));
  if (port !== undefined) return served(port, metricsHost ?? (env[hostVariable] || '127.0.0.1'));
  const target = otlpTarget('metrics', env);
  return target === null ? null : { exporter: pushed(target), url: null };
}

const common = { attachServiceName: false } as const;

async function served(wanted: number, host: string): Promise<MetricsPlace> {
  const address = await addressOf(host);
  const [port = wanted] = wanted === 0 ? await freePorts(1, address) : [wanted];
  if (!(await isFreePort(port, address))) {
    const message = `Metrics cannot be served at ${host} port ${port}.`;
    throw new CliError(commandFailures.EADDRINUSE, message, {
      fix: 'Choose another --metrics-port, or a --metrics-host of this machine.',
    });
  }
  const bindAddress = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    exporter: {
      ...common,
      prometheus: {
        bindAddress,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
        histogramBucketOverrides: bucketsByName(),
      },
    },
    url: `http://${bindAddress}/metrics`,
  };
}

/** The runtime binds to addresses, not to names. */
async function addressOf(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch {
    throw new CliError(commandFailures.USAGE, `--metrics-host ${host} has no address.`, {
      fix: 'Give an address of this machine, such as 127.0.0.1 or 0.0.0.0.',
    });
  }
}

function pushed({ url, protocol, headers }: OtlpTarget): MetricsExporterConfig {
  return {
    ...common,
    otel: {
      url,
      http: protocol === 'http/protobuf',
      headers: { ...headers },
      metricsExportInterval: pushEveryMs,
      useSecondsForDurations: true,
      histogramBucketOverrides: bucketsByName(),
    },
  };
}
