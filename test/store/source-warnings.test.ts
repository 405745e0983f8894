import { describe, expect, it } from 'vitest';
import {
  type DiscoverySource,
  discoverPage,
  discoverRun,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { modelsFolder } from './_models-folder.ts';

const summer = { location: 'here', sources: 'models' };
const winter = { location: 'winter', sources: 'models' };
const run = { parameters: {}, shardSize: 10 };

/** Delivers two models, then returns the warnings of a run, its plan and its first page if one model has changed. */
async function warningsOf(
  next: Partial<DiscoverySource>,
  changed: string | null = 'a longer chair',
) {
  const { folder, source, storeOf, deliver } = await modelsFolder({
    'chair.glb': 'chair',
    'table.glb': 'table',
  });
  await deliver('first');
  if (changed !== null) await putFile(folder, 'chair.glb', changed);
  const nextSource = { ...source, ...next };
  const { sourceWarnings } = await previewDiscovery(storeOf('planned'), nextSource);
  const paged = await discoverPage(storeOf('paged'), { ...nextSource, ...run }, 0);
  const { warnings = [] } = await discoverRun(storeOf('second'), { ...nextSource, ...run });
  expect(sourceWarnings).toEqual(warnings);
  expect(paged.warnings ?? []).toEqual(warnings);
  return warnings.map(({ message }) => message);
}

describe('changed assets of another source', () => {
  it('a run and its plan warn that two sources replace the files of each other', async () => {
    expect(await warningsOf(winter)).toEqual([
      expect.stringMatching(/^files such as "chair" were delivered by the run first from another/),
    ]);
  });

  it.each<[string, Partial<DiscoverySource>, null?]>([
    ['the source is the same', summer],
    ['nothing has changed', winter, null],
    ['assets are objects of the platform', { location: 'winter' }],
  ])('there is no warning if %s', async (_why, next, changed) => {
    expect(await warningsOf(next, changed)).toEqual([]);
  });
});
