// Locations that the exports of a plan deliver to, and the names of the delivered files. Pure.
import { jsonFieldsOf } from '../json.ts';
import type { ConnectorSpec, Json, Plan, Step } from '../types.ts';

export interface Delivery {
  connector: string;
  naming: string;
  /** True if every asset that does not fail reaches the export, because no `when` precedes it. */
  isUnconditional: boolean;
  /** Set if the files are created once per model and shared by all its cells. */
  isPerModel?: true;
  /** Set if old files stay (`supersede: keep`). */
  keepsOldFiles?: true;
}

export function deliveriesOf(steps: readonly Step[]): Delivery[] {
  const sure = findUnconditionalSteps(steps);
  return steps.flatMap(({ id, activity, config }): Delivery[] => {
    if (activity !== 'export') return [];
    const fields = jsonFieldsOf(config);
    const { connector, naming, what, supersede } = fields;
    if (typeof connector !== 'string' || typeof naming !== 'string') return [];
    const isPerModel = Array.isArray(what) && what.includes('models');
    const isSure = sure.has(id);
    return namingsOf(fields, naming).map((template) => ({
      connector,
      naming: template,
      isUnconditional: isSure,
      ...(isPerModel ? { isPerModel } : {}),
      ...(supersede === 'keep' ? { keepsOldFiles: true } : {}),
    }));
  });
}

/** Returns the naming templates of an export: those of its images, and the export's own if it delivers originals. */
function namingsOf({ images, original }: Record<string, Json>, exportNaming: string): string[] {
  if (!Array.isArray(images)) return [exportNaming];
  const imageNamings = images.map((image) => {
    const { naming } = jsonFieldsOf(image);
    return typeof naming === 'string' ? naming : exportNaming;
  });
  return [...new Set([...(original === false ? [] : [exportNaming]), ...imageNamings])];
}

/** Returns the destinations of exports that differ from `destination`. Empty if there are none. */
export function otherDestinationsOf(
  plan: Pick<Plan, 'steps' | 'connectors' | 'destination'>,
): ConnectorSpec[] {
  const { steps, connectors, destination } = plan;
  const specs = deliveriesOf(steps).flatMap(({ connector }) => connectors[connector] ?? []);
  const specsByKey = new Map(specs.map((spec) => [JSON.stringify(spec), spec]));
  specsByKey.delete(JSON.stringify(destination));
  return [...specsByKey.values()];
}

/** Finds the ids of the steps that every asset reaches unless it fails. */
export function findUnconditionalSteps(
  steps: readonly Pick<Step, 'id' | 'when' | 'parents'>[],
): ReadonlySet<string> {
  const reachedIds = new Set<string>();
  for (const { id, when, parents } of steps) {
    if (when === null && parents.every((parent) => reachedIds.has(parent))) reachedIds.add(id);
  }
  return reachedIds;
}
