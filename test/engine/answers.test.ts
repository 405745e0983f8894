// What a creating call's answer means for each of its assets.
import { describe, expect, it } from 'vitest';
import { outputOf } from '../../src/api/decode.ts';
import { type OperationId, operations } from '../../src/api/operations/index.ts';
import { isAbout, readAnswer, type SentCall } from '../../src/machinery/submit/answers.ts';
import type { Asset, Refs } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';

const at = '2026-01-05T10:00:00.000Z';

interface Sent extends SentCall {
  operation: OperationId;
}

const sent = (operation: OperationId, body: unknown, ...assets: string[]): Sent => ({
  operation,
  bodyText: body === null ? '' : JSON.stringify(body),
  assets,
});

/** As the client reads the answer of the platform. */
function made(call: Sent, answer: unknown) {
  const { operation } = call;
  const { output } = outputOf(operations[operation], 201, answer);
  return readAnswer(operation, call, output as never, at);
}

describe('what a call was about', () => {
  const upload = { ...sent('createJob', { models: [{}] }, 'shoe'), versions: ['v1'] };
  const of = (version: string, refs: Refs = {}) => ({
    ...asset('shoe'),
    source: { ...asset('shoe').source, version },
    refs,
  });
  it.each<[string, SentCall, Asset, boolean]>([
    ['this version of its file', upload, of('v1'), true],
    ['another version', upload, of('v2'), false],
    [
      'this version, in a run that ended with it',
      { ...upload, isInherited: true },
      of('v1'),
      false,
    ],
    [
      'this version, in a run that came to no end of it',
      { ...upload, isInherited: true },
      of('v1', { begun: true }),
      true,
    ],
  ])('%s', (_name, call, one, expected) => {
    expect(isAbout(call, 0, one)).toBe(expected);
  });
});

describe('what an answer made', () => {
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
    expect(made(call, answer)).toEqual({ a: { modelId: 'm1' }, c: { modelId: 'm3' } });
  });

  it('models: by display name', () => {
    const call = sent('createModels', { models: [{ name: 'x' }, { name: 'y' }] }, 'kx', 'ky');
    const answer = { models: [{ modelId: 'my', name: 'y' }], errors: ['x is broken'] };
    expect(made(call, answer)).toEqual({ ky: { modelId: 'my' } });
  });

  it.each([
    ['createProps', 'props', 'propId'],
    ['createDecals', 'decals', 'decalId'],
  ] as const)('%s: by name, without those that could not be made', (operation, list, idField) => {
    const call = sent(operation, { [list]: [{ name: 'x' }, { name: 'y' }] }, 'kx', 'ky');
    const answer = { [list]: [{ [idField]: 'i', name: 'y' }], errors: ['x is broken'] };
    expect(made(call, answer)).toEqual({ ky: { [idField]: 'i' } });
  });

  it('a material: its only asset', () => {
    const call = sent('createMaterial', { name: 'oak' }, 'k');
    expect(made(call, { materialId: 'm', uploadedTypes: ['diffuse.png'] })).toEqual({
      k: { materialId: 'm' },
    });
  });

  it('projects: by the model that each holds', () => {
    const call = sent('createProjects', { modelIds: ['m1', 'm2', 'm3'] }, 'a', 'b', 'c');
    const answer = {
      projects: [
        { projectId: 'p2', modelIds: ['m2'] },
        { projectId: 'p1', modelIds: ['m1'] },
      ],
    };
    expect(made(call, answer)).toEqual({
      a: { projectId: 'p1', ownProject: true },
      b: { projectId: 'p2', ownProject: true },
    });
  });

  it('renders: one job a project, all in one batch, with the platform’s time', () => {
    const call = sent('createRenders', { projectIds: ['p1', 'p2'] }, 'a', 'b');
    const answer = { batchId: 'B', jobs: [{ jobId: 'j2', projectId: 'p2', status: 'QUEUED' }] };
    expect(made(call, answer)).toEqual({
      b: { jobId: 'j2', batchId: 'B', submittedAt: at, failedJob: false },
    });
  });

  it('a retry: another batch, and the render list is not to be trusted for it any more', () => {
    const call = sent('retryRenderJob', null, 'a');
    expect(made(call, { jobId: 'j1', batchId: 'B2', projectId: 'p' })).toEqual({
      a: { jobId: 'j1', batchId: 'B2', submittedAt: at, failedJob: false, ownProject: false },
    });
  });

  it.each(['confirmJobUploads', 'getMe'] as const)('%s creates nothing', (operation) => {
    const answer = { jobId: 'j', workspace: { id: 'w' } };
    expect(made(sent(operation, null, 'a'), answer)).toEqual({});
  });

  it.each(['createJob', 'createModels', 'createProjects', 'createRenders'] as const)(
    '%s with an answer that lists nothing gives nobody anything',
    (operation) => {
      const body = { models: [{ fileName: 'a', name: 'a' }], modelIds: ['a'], projectIds: ['a'] };
      const answer = { jobId: 'j', batchId: 'b', models: [], projects: [], jobs: [] };
      expect(made(sent(operation, body, 'a'), answer)).toEqual({});
    },
  );

  it('numbers for ids are texts', () => {
    const call = sent('createRenders', { projectIds: ['7'] }, 'a');
    const answer = { batchId: 3, jobs: [{ jobId: 2, projectId: 7, status: 'QUEUED' }] };
    expect(made(call, answer)).toEqual({
      a: { jobId: '2', batchId: '3', submittedAt: at, failedJob: false },
    });
  });

  it('carries nothing signed', () => {
    const call = sent('createJob', { models: [{ fileName: 'a.glb' }] }, 'a');
    const uploadUrl = 'https://up/a?X-Signature=secret';
    const models = [{ id: 'm', fileName: 'a.glb', uploadUrl, uploadKey: 'secret' }];
    const answer = { jobId: 'j', models };
    expect(JSON.stringify(made(call, answer))).not.toContain('secret');
  });
});
