// Files that take minutes begin first: one that begins last would run alone.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longest = [
  'chaos',
  'kill',
  'faults',
  'window',
  'colorway-grid',
  'commands',
  'cancel-phases',
  'budget',
  's3',
  'cancel',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      longest.some((name) => moduleId.endsWith(`/system/${name}.test.ts`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
