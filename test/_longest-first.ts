// Starts the longest test files first: one that starts last would run alone.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longest = [
  'system/canary',
  'system/approvals',
  'system/pause-all',
  'system/event-trigger',
  'system/faults',
  'system/factory-sheets',
  'system/cancel',
  'system/deliver-again',
  'system/colorway-grid',
  'system/moved',
  'system/colorways',
  'extended/restored',
  'system/shard',
  'system/secrets',
  'system/rerun',
  'system/roots',
  'system/start-by-http',
  'system/rerun-command',
  'system/main-job',
  'system/views',
  'system/notify',
  'system/library',
  'system/budget',
  'system/kill',
  'extended/clock',
  'system/schedules',
  'extended/week',
  'extended/chaos',
  'extended/kill',
  'extended/colorway-season',
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
