// What the response to a creating call means for each of its assets.
import { describe, expect, it } from 'vitest';
import { readOutput } from '../../src/api/decode.ts';
import { type OperationId, operations } from '../../src/api/operations/index.ts';
import {
  type Creation,
  isIntentForAsset,
  parseCall,
  type SentCall,
} from '../../src/engine/submit/creation.ts';
import * as library from '../../src/features/library/creations.ts';
import * as models from '../../src/features/models/creations.ts';
import { projectCreation } from '../../src/features/projects/creations.ts';
import { renderCreation, renderRetry } from '../../src/features/renders/creations.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { Asset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';

const at = '2026-01-05T10:00:00.000Z';

const sent = (body: unknown, ...assets: string[]): SentCall => ({
  bodyText: body === null ? '' : JSON.stringify(body),
  assets,
});

/** Reads a response of the platform as the client does. */
function made<Id extends OperationId>(creation: Creation<Id>, call: SentCall, answer: unknown) {
  const { output } = readOutput(operations[creation.operation], 201, answer);
  return creation.readIds(parseCall(creation, call), output as never, at);
}

describe('an intent', () => {
  const upload = { ...sent({ models: [{}] }, 'shoe'), versions: ['v1'] };
  const of = (version: string, platformIds: PlatformIds = {}) => ({
    ...asset('shoe'),
    source: { ...asset('shoe').source, version },
    platformIds,
  });
  it.each<[string, SentCall, Asset, boolean]>([
    ['covers an asset with the same file version', upload, of('v1'), true],
    ['does not cover another file version', upload, of('v2'), false],
    [
      'does not cover an upload that the earlier run completed',
      { ...upload, isInherited: true },
      of('v1'),
      false,
    ],
    [
      'covers an upload that the earlier run did not complete',
      { ...upload, isInherited: true },
      of('v1', { uploadStarted: true }),
      true,
    ],
  ])('the intent %s', (_name, call, one, expected) => {
    expect(isIntentForAsset(models.uploadJobCreation, call, 0, one)).toBe(expected);
  });
});

describe('ids in the response to a creating call', () => {
  it('ids of a job are assigned by file name, in any order', () => {
    const call = sent(
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
    expect(made(models.uploadJobCreation, call, answer)).toEqual({
      a: { modelId: 'm1' },
      c: { modelId: 'm3' },
    });
  });

  it('ids of models are assigned by display name', () => {
    const call = sent({ models: [{ name: 'x' }, { name: 'y' }] }, 'kx', 'ky');
    const answer = { models: [{ modelId: 'my', name: 'y' }], errors: ['x is broken'] };
    expect(made(models.modelCreation, call, answer)).toEqual({ ky: { modelId: 'my' } });
  });

  it.each([
    ['without the space at its end', 'shoe ', 'shoe'],
    ['with its accents in another encoding', 'Stu\u0308hle', 'St\u00fchle'],
  ])('a model is recognized if the platform returns its name %s', (_, name, returned) => {
    const call = sent({ models: [{ name }, { name: 'other' }] }, 'a', 'b');
    const answer = { models: [{ modelId: 'm', name: returned }], errors: ['other is broken'] };
    expect(made(models.modelCreation, call, answer)).toEqual({ a: { modelId: 'm' } });
  });

  it('a changed name that fits two models of a call is assigned to neither', () => {
    const call = sent({ models: [{ name: 'shoe ' }, { name: ' shoe' }] }, 'a', 'b');
    const answer = { models: [{ modelId: 'm', name: 'shoe' }], errors: ['one is broken'] };
    expect(made(models.modelCreation, call, answer)).toEqual({});
  });

  it.each([
    ['props', 'propId', library.propCreation],
    ['decals', 'decalId', library.decalCreation],
  ])(
    'ids of %s are assigned by name, and only to those that were created',
    (list, idField, creation: Creation) => {
      const call = sent({ [list]: [{ name: 'x' }, { name: 'y' }] }, 'kx', 'ky');
      const answer = { [list]: [{ [idField]: 'i', name: 'y' }], errors: ['x is broken'] };
      expect(made(creation, call, answer)).toEqual({ ky: { [idField]: 'i' } });
    },
  );

  it('the id of a material belongs to its only asset', () => {
    const call = sent({ name: 'oak' }, 'k');
    expect(
      made(library.materialCreation, call, { materialId: 'm', uploadedTypes: ['diffuse.png'] }),
    ).toEqual({
      k: { materialId: 'm' },
    });
  });

  it("project ids are assigned by each project's model", () => {
    const call = sent({ modelIds: ['m1', 'm2', 'm3'] }, 'a', 'b', 'c');
    const answer = {
      projects: [
        { projectId: 'p2', modelIds: ['m2'] },
        { projectId: 'p1', modelIds: ['m1'] },
      ],
    };
    expect(made(projectCreation, call, answer)).toEqual({
      a: { projectId: 'p1', ownProject: true },
      b: { projectId: 'p2', ownProject: true },
    });
  });

  it('render ids consist of one job per project in one batch, with the platform’s time', () => {
    const call = sent({ projectIds: ['p1', 'p2'] }, 'a', 'b');
    const answer = { batchId: 'B', jobs: [{ jobId: 'j2', projectId: 'p2', status: 'QUEUED' }] };
    expect(made(renderCreation, call, answer)).toEqual({
      b: { jobId: 'j2', batchId: 'B', submittedAt: at, failedJob: false },
    });
  });

  it('the ids of a retry contain a new batch and set `ownProject: false`', () => {
    const call = sent(null, 'a');
    expect(made(renderRetry, call, { jobId: 'j1', batchId: 'B2', projectId: 'p' })).toEqual({
      a: { jobId: 'j1', batchId: 'B2', submittedAt: at, failedJob: false, ownProject: false },
    });
  });

  it('a confirmation returns no ids', () => {
    expect(made(models.uploadConfirmation, sent(null, 'a'), { jobId: 'j' })).toEqual({});
  });

  it.each<Creation>([
    models.uploadJobCreation,
    models.modelCreation,
    projectCreation,
    renderCreation,
  ])('no ids are returned if the response to $operation contains no items', (creation) => {
    const body = { models: [{ fileName: 'a', name: 'a' }], modelIds: ['a'], projectIds: ['a'] };
    const answer = { jobId: 'j', batchId: 'b', models: [], projects: [], jobs: [] };
    expect(made(creation, sent(body, 'a'), answer)).toEqual({});
  });

  it('ids are strings even if the platform sends numbers', () => {
    const call = sent({ projectIds: ['7'] }, 'a');
    const answer = { batchId: 3, jobs: [{ jobId: 2, projectId: 7, status: 'QUEUED' }] };
    expect(made(renderCreation, call, answer)).toEqual({
      a: { jobId: '2', batchId: '3', submittedAt: at, failedJob: false },
    });
  });

  it('ids contain neither a signed address nor an upload key', () => {
    const call = sent({ models: [{ fileName: 'a.glb' }] }, 'a');
    const uploadUrl = 'https://up/a?X-Signature=secret';
    const uploads = [{ id: 'm', fileName: 'a.glb', uploadUrl, uploadKey: 'secret' }];
    const answer = { jobId: 'j', models: uploads };
    expect(JSON.stringify(made(models.uploadJobCreation, call, answer))).not.toContain('secret');
  });
});
