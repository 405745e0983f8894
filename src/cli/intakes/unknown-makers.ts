// Finds pipelines whose models an event trigger may mistake for models of somebody else, and process again.
import { placeOf } from '../../plan/place.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { MakerPlace } from '../../temporal/run-places.ts';
import type { EventFile } from '../applied-files.ts';

/** The workers that run the triggers. */
interface IntakePlace {
  taskQueue: string;
  /** Hosts of the running workers at the task queue. */
  hosts: readonly string[];
}

/**
 * One warning with its fix for each pair of an event-started pipeline and a pipeline whose records it cannot read.
 * @param makers pipelines of the workspace that create resources on the platform
 */
export function unknownMakers(
  onEvents: readonly EventFile[],
  makers: readonly MakerPlace[],
  place: IntakePlace,
): string[] {
  const warnings = onEvents.flatMap(({ plan: { pipeline, records, intake } }) =>
    intake === undefined || intake.own
      ? []
      : makers
          .filter((maker) => maker.pipeline !== pipeline && !isSame(maker.records, records))
          .flatMap((maker) => {
            const why = whyUnknown(maker, place);
            return why === null ? [] : [warningText(pipeline, maker, why)];
          }),
  );
  return [...new Set(warnings)];
}

function isSame(one: ConnectorSpec, other: ConnectorSpec): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Why the trigger's workers may not be able to read these records; null if they can. */
function whyUnknown({ records, taskQueue }: MakerPlace, place: IntakePlace): string | null {
  if (taskQueue !== place.taskQueue) {
    return `its runs use the task queue ${taskQueue}, and workers of ${place.taskQueue} may not be able to read there`;
  }
  if (records.type === 'local' && place.hosts.length > 1) {
    return `this folder is on one host, and workers run on ${place.hosts.join(' and ')}`;
  }
  return null;
}

function warningText(pipeline: string, { pipeline: maker, records }: MakerPlace, why: string) {
  return `"${pipeline}" may render, and pay for, models that "${maker}" created. "${maker}" keeps its records in ${placeOf(records)}: ${why}. Set \`records:\` of both to one location that all workers can read; or set \`own: true\` beside \`on:\` if these models should be processed.`;
}
