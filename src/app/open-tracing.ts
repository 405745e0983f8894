// Starts tracing if OpenTelemetry's standard variables request it. Otherwise no tracing module is loaded.
import { ConfigError } from '../settings/config-error.ts';
import type { Environment } from '../settings/environment.ts';
import { otlpTarget, otlpVariable, tracedShare } from '../settings/otel.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { packageVersion } from './package-version.ts';

/**
 * Starts tracing. Returns null if traces are not configured.
 * @param warn called once for each reason why the collector rejects traces
 * @throws ConfigError for variables that cannot be used, such as the protocol grpc
 */
export async function openTracing(
  env: Environment,
  warn: (message: string) => void,
): Promise<Tracing | null> {
  const target = otlpTarget('traces', env);
  if (target === null) return null;
  if (target.protocol === 'grpc') {
    const { name } = otlpVariable('traces', 'PROTOCOL', env);
    throw new ConfigError(
      `Traces are only sent over HTTP, but ${name} is grpc.`,
      'Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://HOST:4318/v1/traces, or OTEL_TRACES_EXPORTER=none.',
    );
  }
  const share = tracedShare(env);
  const { startTracing } = await import('../telemetry/tracing.ts');
  const { url, headers } = target;
  const service = env['OTEL_SERVICE_NAME'] || 'renderline';
  const version = packageVersion();
  return startTracing({ url, headers, service, version, share, onTrouble: warn });
}
