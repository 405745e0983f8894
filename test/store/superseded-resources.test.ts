// The resources of earlier versions of a changed file that the new version does not use.
import { describe, expect, it } from 'vitest';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import {
  supersededResourcesOf,
  withoutResources,
} from '../../src/store/records/superseded-resources.ts';

const version = (text: string, id?: string): AssetSource => ({
  path: 'shoe.glb',
  bytes: 1,
  mtimeMs: 1,
  version: text,
  ...(id === undefined ? {} : { id }),
});
const was = (source: AssetSource, platformIds: PlatformIds) => ({ source, platformIds });
const one = was(version('1-1'), { modelId: 'm1', projectId: 'p1', templateId: 't', jobId: 'j1' });
const now = {
  source: version('2-2'),
  platformIds: { modelId: 'm2', projectId: 'p2', templateId: 't' },
};

describe('superseded', () => {
  it.each([
    ['a new file supersedes nothing', now, [], []],
    ['of a changed file its project, then its model', now, [one], ['project p1', 'model m1']],
    [
      'a model without a project alone',
      now,
      [was(version('1-1'), { modelId: 'm1' })],
      ['model m1'],
    ],
    [
      'not what the new version uses as well',
      { ...now, platformIds: { modelId: 'm1', projectId: 'p2' } },
      [one],
      ['project p1'],
    ],
    [
      'nothing of the same file under another recipe',
      { source: version('1-1'), platformIds: { modelId: 'm1', projectId: 'p2' } },
      [one],
      [],
    ],
    [
      'nothing of the same file that was uploaded anew',
      { source: version('1-1'), platformIds: { modelId: 'm2', projectId: 'p2' } },
      [one],
      [],
    ],
    [
      'nothing that a pipeline of this name took from the platform',
      now,
      [was(version('1-1', 'm1'), { modelId: 'm1', projectId: 'p1' })],
      [],
    ],
    [
      'of several versions all, each once, and projects before models',
      { source: version('3-3'), platformIds: { modelId: 'm3' } },
      [now, one, was(version('1-1'), { modelId: 'm1', projectId: 'p0' })],
      ['project p2', 'project p1', 'project p0', 'model m2', 'model m1'],
    ],
    [
      'an item of the library of any kind',
      { source: version('2-2'), platformIds: { materialId: 'mat2' } },
      [was(version('1-1'), { propId: 'pr', decalId: 'd', materialId: 'mat1' })],
      ['prop pr', 'decal d', 'material mat1'],
    ],
    ['nothing where the record names nothing', now, [was(version('1-1'), { templateId: 't' })], []],
  ])('%s', (_what, asset, before, resources) => {
    expect(supersededResourcesOf(asset, before).map(({ kind, id }) => `${kind} ${id}`)).toEqual(
      resources,
    );
  });

  it('things are told apart by kind and id', () => {
    const resources = [
      { kind: 'model' as const, id: '1' },
      { kind: 'project' as const, id: '1' },
    ];
    expect(withoutResources(resources, resources.slice(0, 1))).toEqual(resources.slice(1));
  });
});
