// Starts tracing if OpenTelemetry's standard variables request it. Otherwise no tracing module is loaded.
import { ConfigError } from '../settings/config-error.ts';
import type { Environment } from '../settings/environment.ts';
import { readOtlpTarget, readOtlpVariable, readTracedShare } from '../settings/otel.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { readPackageVersion } from './read-package-version.ts';

/**
 * Starts tracing. Returns null if traces are not configured.
 * @param warn called once for each reason why the collector rejects traces
 * @throws ConfigError for unsupported variable values, such as the protocol grpc
 */
export async function openTracing(
  env: Environment,
  warn: (message: string) => void,
): Promise<Tracing | null> {
  const target = readOtlpTarget('traces', env);
  if (target === null) return null;
  if (target.protocol === 'grpc') {
    const { name } = readOtlpVariable('traces', 'PROTOCOL', env);
    throw new ConfigError(
      `Traces are only sent over HTTP, but ${name} is grpc.`,
      'Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://HOST:4318/v1/traces, or OTEL_TRACES_EXPORTER=none.',
    );
  }
  const share = readTracedShare(env);
  const { startTracing } = await import('../telemetry/tracing.ts');
  const { url, headers } = target;
  const service = env['OTEL_SERVICE_NAME'] || 'renderline';
  const version = readPackageVersion();
  return startTracing({ url, headers, service, version, share, onTrouble: warn });
}
