// Sets of values for checking the chart: the required values, and each example.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface ValuesSet {
  name: string;
  /** Arguments for `helm`. */
  args: string[];
}

/** The values that every installation needs. */
export const minValues = [
  'platform.baseUrl=https://platform.example.com/api/v1',
  'platform.existingSecret=renderline-platform',
  'temporal.address=temporal:7233',
];

/** Lists the sets of values. @param helm folder of the chart and its examples */
export async function valuesSets(helm: string): Promise<ValuesSet[]> {
  const examples = join(helm, 'examples');
  const names = (await readdir(examples)).filter((name) => name.endsWith('.yaml')).sort();
  return [
    { name: 'minimal', args: minValues.flatMap((value) => ['--set', value]) },
    ...names.map((name) => ({
      name: name.replace('.yaml', ''),
      args: ['--values', join(examples, name)],
    })),
  ];
}
