// Formats the start messages of a worker and of a receiver.
import type { StartedReceiver } from '../../app/events/serve-webhooks.ts';
import type { StartedWorker } from '../../app/worker/serve-worker.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { formatTuning } from '../../temporal/tuning/tuning.ts';

export function formatStartedWorker({ shape, baseUrl, healthUrl }: StartedWorker): string {
  const { workspace, taskQueue, host, namespace, address, buildId, deployment, payloads } = shape;
  return withoutFalse([
    `Working for workspace "${workspace}" at ${baseUrl}`,
    `Task queue ${taskQueue}, host ${host}, namespace ${namespace}, Temporal at ${address}`,
    buildId !== null && `Build ${buildId} of deployment ${deployment}`,
    payloads !== 'not encrypted' && `Payloads ${payloads}`,
    formatTuning(shape.tuning, shape.tuning),
    healthUrl !== null && `Health at ${healthUrl}`,
    shape.metricsUrl !== null && `Metrics at ${shape.metricsUrl}`,
    'Ctrl-C stops it gracefully.',
  ]).join('\n');
}

export function formatStartedReceiver(receiver: StartedReceiver): string {
  const { url, wakeUpsUrl, metricsUrl, registered, pipelines, runs } = receiver;
  return withoutFalse([
    `Receiving notifications at ${url}`,
    pipelines.length === 0
      ? '# Pipelines with `on:` can be added at any time: renderline apply FILES'
      : `Starting runs of ${pipelines.join(', ')}`,
    ...(runs === null ? [] : formatRunReceiver(runs)),
    registered !== null && `Registered at the platform as ${registered}`,
    `# Forward notifications to workers: export RENDERLINE_WAKE_UPS_URL=${wakeUpsUrl}`,
    metricsUrl !== null && `Metrics at ${metricsUrl}`,
    'Ctrl-C stops it gracefully.',
  ]).join('\n');
}

function formatRunReceiver(runs: NonNullable<StartedReceiver['runs']>): string[] {
  return [
    `Starting runs by HTTP at ${runs.url}/NAME/runs: ${runs.pipelines.join(', ') || 'no pipeline yet'}`,
    ...runs.problems.map((problem) => `# ${problem}`),
  ];
}

/** Formats counts, for example `3 accepted, 1 failed`. */
export function formatVerdicts(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  return entries.map(([verdict, count]) => `${count} ${verdict}`).join(', ') || 'none';
}
