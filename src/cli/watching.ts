// Log, metrics and traces of a worker or receiver. Modules of features that are not configured are not loaded.
import { withoutUndefined } from '../plan/without-undefined.ts';
import type { Environment } from '../settings/environment.ts';
import type { Logger } from '../settings/logger.ts';
import type { AssetNaming } from '../telemetry/log-assets.ts';
import type { BuildInfo, Sampled } from '../telemetry/record-metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { TaskFailures } from '../temporal/task-failures.ts';
import { type MetricsFlags, metricsPlace } from './metrics-place.ts';
import { installTemporalLogger } from './run-worker.ts';
import { openTracing } from './traces.ts';
import { packageVersion } from './version.ts';

interface WatchingOptions {
  env: Environment;
  flags: MetricsFlags;
  logger: Logger;
  build: Pick<BuildInfo, 'buildId' | 'process'>;
  /** The platform's clock in epoch ms. */
  now: () => number;
  failures?: TaskFailures;
  /** Rate limit budget of the worker's key. */
  budget?: Sampled;
  /** See {@link RuntimeSetting}. */
  assets?: AssetNaming;
}

export interface Watching {
  /** URL of the metrics; null if none are served. */
  metricsUrl: string | null;
  /** null if traces are not configured. */
  tracing: Tracing | null;
  stop(): Promise<void>;
}

/** @throws CliError, ConfigError if metrics or traces are misconfigured */
export async function watchProcess(options: WatchingOptions): Promise<Watching> {
  const { env, flags, logger, failures, assets } = options;
  const place = await metricsPlace(flags, env);
  const tracing = await openTracing(env, (message) => logger.warn(message));
  await installTemporalLogger(logger, {
    ...withoutUndefined({ failures, assets }),
    ...(place === null ? {} : { metrics: place.exporter }),
  });
  const stop = place === null ? () => undefined : await record(options);
  return {
    metricsUrl: place?.url ?? null,
    tracing,
    async stop() {
      stop();
      await tracing?.stop();
    },
  };
}

async function record({ build, budget, now }: WatchingOptions): Promise<() => void> {
  const { Runtime } = await import('@temporalio/worker');
  const { recordMetrics } = await import('../telemetry/record-metrics.ts');
  return recordMetrics(Runtime.instance().metricMeter, {
    version: packageVersion(),
    ...build,
    now,
    ...(budget === undefined ? {} : { budget }),
  });
}
