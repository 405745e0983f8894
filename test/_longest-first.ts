// Starts the longest test files first. A long file that starts last would run alone.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longest = [
  'system/faults',
  'system/cancel',
  'system/colorways',
  'system/shard',
  'system/secrets',
  'system/rerun',
  'extended/start-by-http',
  'system/views',
  'system/budget',
  'system/kill',
  'system/schedules',
  'extended/chaos',
  'extended/kill',
  'extended/week',
  'extended/canary',
  'extended/approvals',
  'extended/pause-all',
  'extended/event-trigger',
  'extended/colorway-season',
  'extended/restored',
  'extended/deliver-again',
  'extended/factory-sheets',
  'extended/colorway-grid',
  'extended/moved',
  'extended/clock',
  'extended/roots',
  'extended/rerun-command',
  'extended/main-job',
  'extended/notify',
  'extended/library',
  'extended/examples',
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
