// New resources are not visible to all requests immediately.
import { describe, expect, test } from 'vitest';
import { ConsistencyLag, lagMs } from '../../../scripts/chaos/consistency-lag.ts';
import { createSeededRandom } from '../../../scripts/chaos/seeded-random.ts';

const later = lagMs.max + 1;

function afterModel(): ConsistencyLag {
  const young = new ConsistencyLag(createSeededRandom(1));
  young.recordCreated(
    '/api/v1/jobs',
    { jobId: 'j1', models: [{ modelId: 'm1', templateId: 't1' }] },
    0,
  );
  return young;
}

describe('a resource that a call created', () => {
  test('a created resource is hidden in paths and bodies for a while', () => {
    const young = afterModel();
    expect(young.isHiddenInPath('/api/v1/models/m1/confirm', 10)).toBe(true);
    expect(young.isHiddenInPath('/api/v1/models/m1', later)).toBe(false);
    expect(young.isHiddenInBody({ modelIds: ['m0', 'm1'] }, 10)).toBe(true);
    expect(young.isHiddenInBody({ modelIds: ['m0', 'm1'] }, later)).toBe(false);
  });

  test('a created resource is hidden in lists for a while, and not counted there', () => {
    const young = afterModel();
    const list = { models: [{ modelId: 'm0' }, { modelId: 'm1' }], total: 7 };
    expect(young.removeHidden(list, 10)).toEqual({
      models: [{ modelId: 'm0' }],
      total: 6,
    });
    expect(young.removeHidden(list, later)).toBe(list);
  });

  test('a created resource is not hidden longer if it appears again', () => {
    const young = afterModel();
    young.recordCreated(
      '/api/v1/projects',
      { projects: [{ projectId: 'p1', modelId: 'm1' }] },
      lagMs.max - 1,
    );
    expect(young.isHiddenInPath('/m1', later)).toBe(false);
    expect(young.isHiddenInPath('/p1', later)).toBe(true);
  });
});

test('a resource that no call created is never hidden', () => {
  const young = afterModel();
  young.recordCreated('/api/v1/models/status', { models: [{ modelId: 'm9' }] }, 0);
  expect(young.isHiddenInPath('/m9', 10)).toBe(false);
  expect(young.isHiddenInBody({ templateId: 't1' }, 10)).toBe(false);
});

test.each(['/api/v1/renders', '/api/v1/colorway-batches/b1'])(
  'a resource that no call returns is hidden when %s first shows it',
  (path) => {
    const young = new ConsistencyLag(createSeededRandom(1));
    const list = { items: [{ id: 'r1' }] };
    young.recordListed('/api/v1/projects', list, 0);
    expect(young.removeHidden(list, 0)).toBe(list);
    young.recordListed(path, list, 0);
    expect(young.removeHidden(list, 0)).toEqual({ items: [] });
    expect(young.removeHidden(list, later)).toBe(list);
  },
);
