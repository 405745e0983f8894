// Traces, where the standard variables of OpenTelemetry ask for them. Without these nothing of it is loaded.
import { ConfigError } from '../settings/config-error.ts';
import type { Environment } from '../settings/environment.ts';
import { otlpTarget, tracedShare } from '../settings/otel.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { packageVersion } from './version.ts';

/**
 * null where nobody wants traces.
 * @param warn told once of each reason why the collector takes none
 * @throws ConfigError for variables that cannot be meant
 */
export async function openTracing(
  env: Environment,
  warn: (message: string) => void,
): Promise<Tracing | null> {
  const target = otlpTarget('traces', env);
  if (target === null) return null;
  if (target.protocol === 'grpc') {
    throw new ConfigError(
      'Traces go over HTTP, and OTEL_EXPORTER_OTLP_PROTOCOL says grpc.',
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
