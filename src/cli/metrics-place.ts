// Chooses where a process serves metrics or pushes them to, from its flags and environment variables.
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
  /** URL that Prometheus scrapes; null if metrics are pushed. */
  url: string | null;
}

const portVariable = 'RENDERLINE_METRICS_PORT';
const hostVariable = 'RENDERLINE_METRICS_HOST';
/** Short, so that a stopped worker loses few values. */
const pushEveryMs = 15_000;

/**
 * Returns null if metrics are not configured. A port overrides a collector, because the runtime has only one exporter.
 * @throws CliError for a port that is in use, or a host that is not an address of this machine
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

/** Resolves a host name, because the runtime only binds to addresses. */
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
