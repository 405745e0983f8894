// The resources of earlier versions of a changed file, if the new version does not use them.
import { describe, expect, it } from 'vitest';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import {
  excludeResources,
  findSupersededResources,
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

describe('superseded resources', () => {
  it.each([
    ['are empty for a new file', now, [], []],
    ['are the project, then the model, of a changed file', now, [one], ['project p1', 'model m1']],
    [
      'are the model alone if it has no project',
      now,
      [was(version('1-1'), { modelId: 'm1' })],
      ['model m1'],
    ],
    [
      'do not include what the new version uses as well',
      { ...now, platformIds: { modelId: 'm1', projectId: 'p2' } },
      [one],
      ['project p1'],
    ],
    [
      'do not include resources of the same file under another recipe',
      { source: version('1-1'), platformIds: { modelId: 'm1', projectId: 'p2' } },
      [one],
      [],
    ],
    [
      'do not include resources of the same file that was uploaded again',
      { source: version('1-1'), platformIds: { modelId: 'm2', projectId: 'p2' } },
      [one],
      [],
    ],
    [
      'do not include objects that the pipeline listed on the platform',
      now,
      [was(version('1-1', 'm1'), { modelId: 'm1', projectId: 'p1' })],
      [],
    ],
    [
      'include all earlier versions, each resource once, with projects before models',
      { source: version('3-3'), platformIds: { modelId: 'm3' } },
      [now, one, was(version('1-1'), { modelId: 'm1', projectId: 'p0' })],
      ['project p2', 'project p1', 'project p0', 'model m2', 'model m1'],
    ],
    [
      'include library items of each kind',
      { source: version('2-2'), platformIds: { materialId: 'mat2' } },
      [was(version('1-1'), { propId: 'pr', decalId: 'd', materialId: 'mat1' })],
      ['prop pr', 'decal d', 'material mat1'],
    ],
    [
      'are empty if the record has no model, project or item',
      now,
      [was(version('1-1'), { templateId: 't' })],
      [],
    ],
  ])('superseded resources %s', (_what, asset, before, resources) => {
    expect(findSupersededResources(asset, before).map(({ kind, id }) => `${kind} ${id}`)).toEqual(
      resources,
    );
  });

  it('resources are compared by kind and id', () => {
    const resources = [
      { kind: 'model' as const, id: '1' },
      { kind: 'project' as const, id: '1' },
    ];
    expect(excludeResources(resources, resources.slice(0, 1))).toEqual(resources.slice(1));
  });
});
