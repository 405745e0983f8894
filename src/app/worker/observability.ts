// Starts the log, metrics and traces of a worker or receiver. Modules of unconfigured features are not loaded.
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Environment } from '../../settings/environment.ts';
import type { Logger } from '../../settings/logger.ts';
import type { AssetNaming } from '../../telemetry/log-assets.ts';
import type { BuildInfo, SampledBudget } from '../../telemetry/record-metrics.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import type { TaskFailures } from '../../temporal/runs/task-failures.ts';
import { openTracing } from '../open-tracing.ts';
import { readPackageVersion } from '../read-package-version.ts';
import { chooseMetricsTarget, type MetricsOptions } from './metrics-target.ts';
import { installWorkerRuntime } from './run-worker.ts';

interface ObservabilityOptions {
  env: Environment;
  endpoint: MetricsOptions;
  logger: Logger;
  build: Pick<BuildInfo, 'buildId' | 'process'>;
  /** The platform's clock in epoch ms. */
  now: () => number;
  failures?: TaskFailures;
  budget?: SampledBudget;
  /** How individual assets are logged. See {@link TemporalRuntimeOptions}. */
  assets?: AssetNaming;
}

export interface Observability {
  /** URL of the metrics. Null if none are served. */
  metricsUrl: string | null;
  /** Writes spans. Null if traces are not configured. */
  tracing: Tracing | null;
  stop(): Promise<void>;
}

/** @throws RenderlineError, ConfigError if metrics or traces are misconfigured */
export async function startObservability(options: ObservabilityOptions): Promise<Observability> {
  const { env, endpoint, logger, failures, assets } = options;
  const metricsTarget = await chooseMetricsTarget(endpoint, env);
  const tracing = await openTracing(env, (message) => logger.warn(message));
  await installWorkerRuntime(logger, {
    ...omitUndefined({ failures, assets }),
    ...(metricsTarget === null ? {} : { metrics: metricsTarget.exporter }),
  });
  const stop = metricsTarget === null ? () => undefined : await startRecording(options);
  return {
    metricsUrl: metricsTarget?.url ?? null,
    tracing,
    async stop() {
      stop();
      await tracing?.stop();
    },
  };
}

async function startRecording({ build, budget, now }: ObservabilityOptions): Promise<() => void> {
  const { Runtime } = await import('@temporalio/worker');
  const { recordMetrics } = await import('../../telemetry/record-metrics.ts');
  return recordMetrics(Runtime.instance().metricMeter, {
    version: readPackageVersion(),
    ...build,
    now,
    ...(budget === undefined ? {} : { budget }),
  });
}
