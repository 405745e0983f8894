// Which pipelines make models that a pipeline that begins with events may take for somebody else's.
import { placeOf } from '../../plan/place.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { MakerPlace } from '../../temporal/run-places.ts';
import type { EventFile } from '../applied-files.ts';

/** Where the runs of the intakes work. */
interface IntakePlace {
  taskQueue: string;
  /** Hosts of the workers of that queue that are running now. */
  hosts: readonly string[];
}

/**
 * One sentence for each pair of pipelines, with the fix.
 * @param makers pipelines of the workspace that make something on the platform
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

/** null where the workers of the intake read these records. */
function whyUnknown({ records, taskQueue }: MakerPlace, place: IntakePlace): string | null {
  if (taskQueue !== place.taskQueue) {
    return `its runs are those of the task queue ${taskQueue}, and it is not known whether workers of ${place.taskQueue} may read there`;
  }
  if (records.type === 'local' && place.hosts.length > 1) {
    return `that is a folder of one host, and workers run on ${place.hosts.join(' and ')}`;
  }
  return null;
}

function warningText(pipeline: string, { pipeline: maker, records }: MakerPlace, why: string) {
  return `"${pipeline}" may render again, and pay for, what "${maker}" makes. "${maker}" keeps its records in ${placeOf(records)}: ${why}. Give both \`records:\` in one place that all workers reach; or write \`own: true\` beside \`on:\` if it is to take such models.`;
}
