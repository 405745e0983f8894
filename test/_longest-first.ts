// Starts the longest test files first: one that starts last would run alone.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longest = [
  'system/notify',
  'system/canary',
  'system/cancel',
  'system/faults',
  'system/event-intake',
  'system/factory-sheets',
  'system/colorway-grid',
  'system/colorways',
  'system/budget',
  'system/rerun',
  'system/views',
  'system/rerun-command',
  'system/roots',
  'extended/chaos',
  'extended/kill',
  'extended/colorway-season',
  'extended/window',
  'extended/commands',
  'extended/cancel-phases',
  'extended/pipeline-tests',
  'extended/tutorial',
  'extended/workspaces',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return place < 0 ? longest.length : place;
    };
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
