// What a creating call's answer means for each of its assets.
import { describe, expect, it } from 'vitest';
import { readAnswer, type SentCall } from '../../src/engine/submit/answers.ts';

const at = '2026-01-05T10:00:00.000Z';
const sent = (operation: string, body: unknown, ...assets: string[]): SentCall => ({
  operation,
  bodyText: body === null ? '' : JSON.stringify(body),
  assets,
});

describe('readAnswer', () => {
  it('a job: models by file name, in whatever order they come', () => {
    const call = sent(
      'createJob',
      { models: [{ fileName: 'a.glb' }, { fileName: 'b.glb' }, { fileName: 'c.glb' }] },
      'a',
      'b',
      'c',
    );
    const answer = {
      jobId: 'j',
      models: [
        { id: 'm3', fileName: 'c.glb', uploadUrl: 'https://up/1', uploadKey: 'k' },
        { id: 'm1', fileName: 'a.glb', uploadUrl: 'https://up/2', uploadKey: 'k' },
      ],
      errors: ['b.glb is not wanted'],
    };
    expect(readAnswer(call, answer, at)).toEqual({ a: { modelId: 'm1' }, c: { modelId: 'm3' } });
  });

  it('models: by display name', () => {
    const call = sent('createModels', { models: [{ name: 'x' }, { name: 'y' }] }, 'kx', 'ky');
    const answer = { models: [{ modelId: 'my', name: 'y' }], errors: ['x is broken'] };
    expect(readAnswer(call, answer, at)).toEqual({ ky: { modelId: 'my' } });
  });

  it.each([
    ['createProps', 'props', 'propId'],
    ['createDecals', 'decals', 'decalId'],
  ])('%s: by name, without those that could not be made', (operation, list, idField) => {
    const call = sent(operation, { [list]: [{ name: 'x' }, { name: 'y' }] }, 'kx', 'ky');
    const answer = { [list]: [{ [idField]: 'i', name: 'y' }], errors: ['x is broken'] };
    expect(readAnswer(call, answer, at)).toEqual({ ky: { [idField]: 'i' } });
  });

  it('a material: its only asset', () => {
    const call = sent('createMaterial', { name: 'oak' }, 'k');
    expect(readAnswer(call, { materialId: 'm' }, at)).toEqual({ k: { materialId: 'm' } });
  });

  it('projects: by the model that each holds', () => {
    const call = sent('createProjects', { modelIds: ['m1', 'm2', 'm3'] }, 'a', 'b', 'c');
    const answer = {
      projects: [
        { projectId: 'p2', modelIds: ['m2'] },
        { projectId: 'p1', modelIds: ['m1'] },
      ],
    };
    expect(readAnswer(call, answer, at)).toEqual({
      a: { projectId: 'p1', ownProject: true },
      b: { projectId: 'p2', ownProject: true },
    });
  });

  it('renders: one job a project, all in one batch, with the platform’s time', () => {
    const call = sent('createRenders', { projectIds: ['p1', 'p2'] }, 'a', 'b');
    const answer = { batchId: 'B', jobs: [{ jobId: 'j2', projectId: 'p2', status: 'QUEUED' }] };
    expect(readAnswer(call, answer, at)).toEqual({
      b: { jobId: 'j2', batchId: 'B', submittedAt: at, failedJob: false },
    });
  });

  it('a retry: another batch, and the render list is not to be trusted for it any more', () => {
    const call = sent('retryRenderJob', null, 'a');
    expect(readAnswer(call, { jobId: 'j1', batchId: 'B2', projectId: 'p' }, at)).toEqual({
      a: { jobId: 'j1', batchId: 'B2', submittedAt: at, failedJob: false, ownProject: false },
    });
  });

  it.each(['confirmJobUploads', 'somethingNew'])('%s creates nothing', (operation) => {
    expect(readAnswer(sent(operation, null, 'a'), { jobId: 'j' }, at)).toEqual({});
  });

  it.each(['createJob', 'createModels', 'createProjects', 'createRenders'])(
    '%s with an answer that lists nothing gives nobody anything',
    (operation) => {
      const body = { models: [{ fileName: 'a', name: 'a' }], modelIds: ['a'], projectIds: ['a'] };
      expect(readAnswer(sent(operation, body, 'a'), {}, at)).toEqual({});
    },
  );

  it('carries nothing signed', () => {
    const call = sent('createJob', { models: [{ fileName: 'a.glb' }] }, 'a');
    const uploadUrl = 'https://up/a?X-Signature=secret';
    const answer = { models: [{ id: 'm', fileName: 'a.glb', uploadUrl, uploadKey: 'secret' }] };
    expect(JSON.stringify(readAnswer(call, answer, at))).not.toContain('secret');
  });
});
