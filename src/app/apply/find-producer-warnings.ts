// Finds pipelines whose models an event trigger may mistake for foreign models and process a second time.
import { locationOf } from '../../plan/run/location.ts';
import type { RecordsLocation } from '../../temporal/runs/records-locations.ts';
import type { CompiledFile } from './applied-files.ts';

interface TriggerWorkers {
  taskQueue: string;
  /** Hosts of the workers running on the task queue. */
  hosts: readonly string[];
}

/**
 * Returns a warning with its fix for each event-triggered pipeline without `own: true` and each producer whose records
 * the workers of the trigger may be unable to read.
 * @param producers pipelines of the workspace that create resources on the platform
 */
export function findProducerWarnings(
  onEvents: readonly CompiledFile[],
  producers: readonly RecordsLocation[],
  workers: TriggerWorkers,
): string[] {
  const warnings = new Set<string>();
  for (const { plan } of onEvents) {
    const { pipeline, records, eventTrigger } = plan;
    if (eventTrigger === undefined || eventTrigger.includesOwn) continue;
    for (const maker of producers) {
      const isSame = JSON.stringify(maker.records) === JSON.stringify(records);
      if (maker.pipeline === pipeline || isSame) continue;
      const reason = explainUnknown(maker, workers);
      if (reason !== null) warnings.add(formatWarning(pipeline, maker, reason));
    }
  }
  return [...warnings];
}

/** Explains why the trigger's workers may not be able to read these records. Returns null if no reason is known. */
function explainUnknown(
  { records, taskQueue }: RecordsLocation,
  workers: TriggerWorkers,
): string | null {
  if (taskQueue !== workers.taskQueue) {
    return `its runs use the task queue ${taskQueue}, and workers of ${workers.taskQueue} may not be able to read these records`;
  }
  if (records.type === 'local' && workers.hosts.length > 1) {
    return `this folder is on one host, and workers run on ${workers.hosts.join(' and ')}`;
  }
  return null;
}

function formatWarning(
  pipeline: string,
  { pipeline: maker, records }: RecordsLocation,
  reason: string,
) {
  return `"${pipeline}" may render, and pay for, models that "${maker}" created. "${maker}" keeps its records in ${locationOf(records)}: ${reason}. Set \`records:\` of both to one location that all workers can read; or set \`own: true\` next to \`on:\` if these models should be processed.`;
}
