// Statuses are computed from stored facts and the time. The tables contain each fact at each time.
import { describe, expect, test } from 'vitest';
import type { DecalRecord, MaterialRecord } from '../../src/state/library-records.ts';
import { batchStatusOf, toColorwayBatch, toColorwayJob } from '../../src/status/colorways.ts';
import { decalStatusOf, propStatusOf } from '../../src/status/library-items.ts';
import { materialStatusOf, toMaterialItem } from '../../src/status/materials.ts';
import {
  hasFormat,
  isModelReady,
  modelStatusOf,
  toModelDetail,
  toModelListItem,
  toModelStatusItem,
} from '../../src/status/models.ts';
import { finishedAtMsOf, isFinalStatus, renderJobStatus } from '../../src/status/renders.ts';
import { modelRecord, propRecord, renderRecord, uploadedFile } from '../_records.ts';

const url = 'https://example.com/chair.glb';

describe('models (3.1)', () => {
  // A file that was uploaded at 1,000 takes 50 ms. It is still in processing at 1,049, and no longer at 1,050.
  test.each([
    ['created', {}, 'PENDING', 'PENDING'],
    ['uploaded', { file: uploadedFile }, 'ANALYZING', 'READY'],
    ['uploaded and confirmed', { file: uploadedFile, confirmedAt: 1001 }, 'ANALYZING', 'READY'],
    [
      'a file that does not load',
      { file: { ...uploadedFile, problem: 'no' } },
      'ANALYZING',
      'FAILED',
    ],
    ['a file over the limit', { file: { ...uploadedFile, tooLarge: true } }, 'PENDING', 'PENDING'],
    ['an import in progress', { importedFrom: { url } }, 'UPLOADING', 'UPLOADING'],
    [
      'an import that was downloaded',
      { importedFrom: { url }, file: uploadedFile },
      'ANALYZING',
      'READY',
    ],
    ['an import that failed', { importedFrom: { url, error: 'gone' } }, 'FAILED', 'FAILED'],
    ['set by a control', { file: uploadedFile, forcedStatus: 'APPROVED' }, 'APPROVED', 'APPROVED'],
    [
      'set by a control against its facts',
      { importedFrom: { url, error: 'gone' }, forcedStatus: 'READY' },
      'READY',
      'READY',
    ],
  ] as const)('%s: a model with %j is %s, then %s', (_title, facts, before, after) => {
    const model = modelRecord(facts);
    expect([modelStatusOf(model, 1049), modelStatusOf(model, 1050)]).toEqual([before, after]);
  });

  test.each([
    ['PENDING', false],
    ['UPLOADING', false],
    ['ANALYZING', false],
    ['READY', true],
    ['APPROVED', true],
    ['FAILED', false],
    ['MODEL_REJECTED', false],
    ['MODEL_REQUIRED', false],
  ] as const)('models in the status %s are ready: %s', (forcedStatus, ready) => {
    expect(isModelReady(forcedStatus)).toBe(ready);
    const model = modelRecord({ file: uploadedFile, forcedStatus });
    expect(toModelStatusItem(model, 2000)).toMatchObject({ status: forcedStatus, ready });
    // The source is available after the upload, the GLB after processing.
    expect(hasFormat(model, 'source', 2000)).toBe(true);
    expect(hasFormat(model, 'glb', 2000)).toBe(ready);
  });

  test.each([
    ['glb', 'glb', true],
    ['glb', 'usdz', true],
    ['usdz', 'usdz', true],
    ['usdz', 'glb', false],
    ['fbx', 'glb', false],
    ['fbx', 'usdz', false],
    ['fbx', 'source', true],
  ] as const)(
    'models of the type .%s can be downloaded as %s, if READY: %s',
    (fileType, format, has) => {
      expect(hasFormat(modelRecord({ fileType, file: uploadedFile }), format, 2000)).toBe(has);
    },
  );

  test.each([
    ['glb', 'https://here/cdn/models/m1/source.glb', 'https://here/cdn/models/m1/model.usdz'],
    ['usdz', '', 'https://here/cdn/models/m1/source.glb'],
    ['obj', '', ''],
  ])(
    'models of the type .%s have links to the existing files',
    (fileType, glbFilePath, usdFilePath) => {
      const model = modelRecord({ fileType, file: uploadedFile });
      expect(toModelDetail(model, 'https://here', 2000)).toMatchObject({
        glbFilePath,
        usdFilePath,
      });
      expect(toModelDetail(model, 'https://here', 1049)).toMatchObject({
        status: 'ANALYZING',
        glbFilePath: '',
        usdFilePath: '',
      });
    },
  );

  test.each([
    ['unknown', {}, 0],
    ['declared', { declaredBytes: 900 }, 900],
    [
      'uploaded, with its real rather than its declared size',
      { declaredBytes: 900, file: uploadedFile },
      700,
    ],
  ])('lists return the size of a model (%s): %j is %d', (_title, facts, fileSize) => {
    expect(toModelListItem(modelRecord(facts), 2000)).toMatchObject({
      fileSize,
      createdAt: '1970-01-01T00:00:00.500Z',
    });
  });

  test.each([
    ['uploaded', { file: { ...uploadedFile, problem: 'cut' } }, undefined],
    ['imported, but not downloaded', { importedFrom: { url, error: 'gone' } }, 'gone'],
    [
      'imported, but broken',
      { importedFrom: { url }, file: { ...uploadedFile, problem: 'cut' } },
      'cut',
    ],
    ['imported, but not FAILED', { importedFrom: { url }, file: uploadedFile }, undefined],
    [
      'imported, FAILED by hand without a reason',
      { importedFrom: { url }, file: uploadedFile, forcedStatus: 'FAILED' },
      undefined,
    ],
  ] as const)(
    'the status contains the error, if any, of a model that was %s',
    (_title, facts, error) => {
      expect(toModelStatusItem(modelRecord(facts), 2000).error).toBe(error);
    },
  );
});

describe('render jobs (3.2)', () => {
  test.each([
    ['without pictures', {}, ['QUEUED', 'RENDERING', 'RENDERING', 'EXPORTING']],
    ['with pictures in time', { drawnAt: 1150 }, ['QUEUED', 'RENDERING', 'RENDERING', 'COMPLETED']],
    ['with a failure', { failure: 'no' }, ['QUEUED', 'RENDERING', 'RENDERING', 'FAILED']],
    [
      'with a failure and pictures',
      { failure: 'no', drawnAt: 1 },
      ['QUEUED', 'RENDERING', 'RENDERING', 'FAILED'],
    ],
    [
      'that are cancelled',
      { cancelledAt: 1050, failure: 'no', drawnAt: 1 },
      ['CANCELLED', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
    ],
  ] as const)(
    'renderJobStatus() returns the status of jobs %s at 1,099, 1,100, 1,199 and 1,200',
    (_title, facts, statuses) => {
      const job = renderRecord(facts);
      expect([1099, 1100, 1199, 1200].map((now) => renderJobStatus(job, now))).toEqual(statuses);
    },
  );

  test.each([
    ['QUEUED', false],
    ['INGESTING', false],
    ['PROCESSING', false],
    ['RENDER_QUEUED', false],
    ['RENDERING', false],
    ['STYLING', false],
    ['EXPORTING', false],
    ['COMPLETED', true],
    ['FAILED', true],
    ['CANCELLED', true],
  ] as const)('render jobs in the status %s have ended: %s', (status, end) => {
    expect(isFinalStatus(status)).toBe(end);
  });

  test.each([
    ['at the end of their duration if their pictures are drawn in time', { drawnAt: 1150 }, 1200],
    ['when their pictures are drawn if these are late', { drawnAt: 1300 }, 1300],
    ['at the end of their duration if they have no pictures', {}, 1200],
  ])('render jobs are finished %s', (_title, facts, at) => {
    expect(finishedAtMsOf(renderRecord(facts))).toBe(at);
  });
});

describe('library items (2.13, 3.4)', () => {
  const file = { bytes: 5, sha256: 'aa', uploadedAt: 1000 };

  test.each([
    ['created', {}, 'PENDING', 'PENDING'],
    ['uploaded', { file }, 'UPLOADING', 'UPLOADING'],
    ['confirmed', { file, confirmedAt: 1000 }, 'ANALYZING', 'READY'],
    ['broken', { file: { ...file, problem: 'no' }, confirmedAt: 1000 }, 'ANALYZING', 'FAILED'],
    ['over the limit', { file: { ...file, tooLarge: true }, confirmedAt: 1 }, 'PENDING', 'PENDING'],
    ['from the catalog', { source: 'catalog' }, 'READY', 'READY'],
  ] as const)('a prop that is %s: %j is %s, then %s', (_title, facts, before, after) => {
    const prop = propRecord(facts);
    expect([propStatusOf(prop, 1049), propStatusOf(prop, 1050)]).toEqual([before, after]);
  });

  const image = { ...file, width: 8, height: 6 };
  test.each([
    ['created', {}, 'PENDING'],
    ['uploaded', { file: image }, 'UPLOADING'],
    ['confirmed (immediately)', { file: image, confirmedAt: 1000 }, 'READY'],
    [
      'confirmed, but not an image',
      { file: { ...image, problem: 'no' }, confirmedAt: 1000 },
      'FAILED',
    ],
    ['unconfirmed and not an image', { file: { ...image, problem: 'no' } }, 'UPLOADING'],
    ['over the limit', { file: { ...image, tooLarge: true }, confirmedAt: 1000 }, 'PENDING'],
  ] as const)('a decal that is %s: %j is %s', (_title, facts, status) => {
    const decal: DecalRecord = {
      id: 'd1',
      name: 'crest',
      createdAt: 500,
      fileType: 'png',
      contentType: 'image/png',
      uploadKey: 'decals/d1/source.png',
      inks: [],
      ...facts,
    };
    expect(decalStatusOf(decal)).toBe(status);
  });

  const material: MaterialRecord = {
    id: 'mat1',
    name: 'oak',
    type: 'pbr',
    textures: {},
    createdAt: 500,
    processMs: 50,
  };
  test.each([
    ['created', {}, 'processing', 'processing'],
    [
      'confirmed, with images that have not been read',
      { confirmedAt: 1000 },
      'processing',
      'processing',
    ],
    ['images read early', { confirmedAt: 1000, outcome: {} }, 'processing', 'ready'],
    ['with a problem', { confirmedAt: 1000, outcome: { problem: 'no' } }, 'processing', 'failed'],
    ['of one colour', { type: 'flat', flatHex: '#102030' }, 'ready', 'ready'],
  ] as const)('a material, %s: %j is %s, then %s', (_title, facts, before, after) => {
    const record = { ...material, ...facts };
    expect([materialStatusOf(record, 1049), materialStatusOf(record, 1050)]).toEqual([
      before,
      after,
    ]);
    // Only ready resources have pictures.
    expect(toMaterialItem(record, 'https://here', 1050).thumbnailUrl).toBe(
      after === 'ready' ? 'https://here/cdn/materials/mat1/thumbnail.png' : null,
    );
  });
});

describe('colorways (2.11)', () => {
  const job = (failure?: string) => ({
    id: 'cj1',
    batchId: 'b1',
    definitionId: 'd1',
    modelId: 'm1',
    variantId: 'v1',
    variantName: 'oak',
    swaps: {},
    retryCount: 2,
    swapAt: 1100,
    endAt: 1200,
    ...(failure === undefined ? {} : { failure }),
  });

  test.each([
    [1099, undefined, 'queued', null],
    [1100, undefined, 'swapping', null],
    [1199, 'no paint', 'swapping', null],
    [1200, undefined, 'complete', null],
    [1200, 'no paint', 'failed', 'no paint'],
  ] as const)(
    'colorways at %d with the failure %s are %s, with the message %s',
    (now, failure, status, message) => {
      expect(toColorwayJob(job(failure), now)).toEqual({
        id: 'cj1',
        batchId: 'b1',
        colorwayDefinitionId: 'd1',
        baseModelId: 'm1',
        status,
        retryCount: 2,
        errorMessage: message,
      });
    },
  );

  test.each([
    [[], 'complete'],
    [['queued'], 'in_progress'],
    [['swapping', 'failed'], 'in_progress'],
    [['complete', 'queued'], 'in_progress'],
    [['complete', 'complete'], 'complete'],
    [['failed', 'failed'], 'failed'],
    [['complete', 'failed'], 'partial_failure'],
  ] as const)('a batch with the jobs %j has the status %s', (statuses, status) => {
    expect(batchStatusOf(statuses)).toBe(status);
  });

  test('a batch counts its jobs', () => {
    const jobs = [job(), job(), job('no paint')];
    const record = {
      id: 'b1',
      createdAt: 0,
      swapRules: [],
      modelScope: { type: 'all' as const },
      jobIds: [],
    };
    const counts = (now: number) => {
      const { totalJobs, completedJobs, failedJobs } = toColorwayBatch(record, jobs, now);
      return [totalJobs, completedJobs, failedJobs];
    };
    expect([counts(1199), counts(1200)]).toEqual([
      [3, 0, 0],
      [3, 2, 1],
    ]);
  });
});
