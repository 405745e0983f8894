// Which event is due at a time, and with which data.
import { describe, expect, test } from 'vitest';
import { Journal } from '../../src/state/journal.ts';
import type { JobRecord, ModelRecord } from '../../src/state/records.ts';
import { Table } from '../../src/state/table.ts';
import {
  createJobEvent,
  createModelEvent,
  formatEnvelope,
  projectEvent,
  renderEvent,
} from '../../src/webhooks/payloads.ts';
import { modelRecord, renderRecord, uploadedFile } from '../_records.ts';

const origin = 'https://here';
const url = 'https://example.com/chair.glb';

describe('a model', () => {
  const processed = {
    event: 'model.processed',
    data: {
      modelId: 'm1',
      name: 'chair',
      status: 'READY',
      glbFilePath: 'https://here/cdn/models/m1/source.glb',
      thumbnailUrl: 'https://here/cdn/models/m1/thumbnail.jpeg',
    },
  };
  const failed = (more: object = {}) => ({
    event: 'model.failed',
    data: { modelId: 'm1', name: 'chair', status: 'FAILED', ...more },
  });

  test.each<[string, Partial<ModelRecord>, object | undefined]>([
    ['created', {}, undefined],
    ['being imported', { importedFrom: { url } }, undefined],
    ['processed', { file: uploadedFile }, processed],
    [
      'approved (the event has the status READY)',
      { file: uploadedFile, forcedStatus: 'APPROVED' },
      processed,
    ],
    [
      'broken, and was uploaded (no reason)',
      { file: { ...uploadedFile, problem: 'cut' } },
      failed(),
    ],
    [
      'broken, and was imported (with the reason)',
      { importedFrom: { url }, file: { ...uploadedFile, problem: 'cut' } },
      failed({ error: 'cut' }),
    ],
    ['not downloaded', { importedFrom: { url, error: 'gone' } }, failed({ error: 'gone' })],
    ['rejected', { file: uploadedFile, forcedStatus: 'MODEL_REJECTED' }, undefined],
  ])(
    'createModelEvent() returns the event, if any, of a model that is %s',
    (_title, facts, told) => {
      expect(createModelEvent(modelRecord(facts), origin, 1050)).toEqual(told);
    },
  );

  test('a model has no event a millisecond before its end', () => {
    expect(createModelEvent(modelRecord({ file: uploadedFile }), origin, 1049)).toBeUndefined();
  });

  test('a model that is not a GLB has an event without a link to a GLB', () => {
    const told = createModelEvent(
      modelRecord({ fileType: 'fbx', file: uploadedFile }),
      origin,
      1050,
    );
    expect(told?.data).toMatchObject({ glbFilePath: '' });
  });
});

describe('a render job', () => {
  test.each([
    ['drawn', { drawnAt: 1150 }, 1199, undefined],
    [
      'drawn',
      { drawnAt: 1150 },
      1200,
      {
        event: 'render.complete',
        data: { jobId: 'r1', status: 'COMPLETED', projectId: 'p1', renderIds: ['o1', 'o2'] },
      },
    ],
    ['not drawn', {}, 1200, undefined],
    [
      'failing',
      { failure: 'no power' },
      1200,
      {
        event: 'render.failed',
        data: { jobId: 'r1', status: 'FAILED', projectId: 'p1', errorMessage: 'no power' },
      },
    ],
    ['failing', { failure: 'no power' }, 1199, undefined],
    ['cancelled', { cancelledAt: 1050, failure: 'no power' }, 1200, undefined],
  ])(
    'renderEvent() returns the event, if any, of a job that is %s: %j at %d ms',
    (_title, facts, now, told) => {
      expect(renderEvent(renderRecord(facts), now)).toEqual(told);
    },
  );
});

test('the event of a project contains its summary', () => {
  const project = { id: 'p1', name: 'Spring', modelIds: ['m1', 'm2'], createdAt: 0 };
  expect(projectEvent(project)).toEqual({
    event: 'project.created',
    data: { projectId: 'p1', name: 'Spring', modelIds: ['m1', 'm2'], templateId: null },
  });
});

describe('a unified job', () => {
  const journal = new Journal(undefined);
  const models = new Table<ModelRecord>('models', journal);
  models.insert(modelRecord());
  models.insert(modelRecord({ id: 'm3', name: 'lamp' }));
  const projects = new Map([['p1', { id: 'p1', name: 'Spring' }]]);
  const store = { models, projects } as unknown as Parameters<typeof createJobEvent>[0];
  const job = (patch: Partial<JobRecord>): JobRecord => ({
    id: 'j1',
    modelIds: ['m1', 'm2', 'm3'],
    fileNames: {},
    createProjects: true,
    status: 'PROCESSING',
    ...patch,
  });

  test.each(['AWAITING_UPLOADS', 'PROCESSING', 'CREATING_PROJECTS', 'RENDERING'] as const)(
    'a unified job with the status %s creates no event',
    (status) => {
      expect(createJobEvent(store, job({ status }))).toBeUndefined();
    },
  );

  test('a unified job that is COMPLETE has an event with its existing models and projects', () => {
    const ended = job({ status: 'COMPLETE', projects: { m1: 'p1', m3: 'gone' } });
    expect(createJobEvent(store, ended)).toEqual({
      event: 'job.complete',
      data: {
        jobId: 'j1',
        status: 'COMPLETE',
        results: [
          { model: { id: 'm1', name: 'chair' }, project: { id: 'p1', name: 'Spring' } },
          { model: { id: 'm3', name: 'lamp' } },
        ],
      },
    });
  });

  test('a unified job that is FAILED has an event with its error and no results', () => {
    const ended = job({ status: 'FAILED', error: 'no power', projects: { m1: 'p1' } });
    expect(createJobEvent(store, ended)).toEqual({
      event: 'job.failed',
      data: { jobId: 'j1', status: 'FAILED', error: 'no power' },
    });
  });
});

test('the envelope contains the event, the time in UTC with milliseconds, and the data', () => {
  const told = { event: 'job.failed', data: { jobId: 'j1' } } as const;
  expect(formatEnvelope(told, Date.UTC(2026, 0, 2, 3, 4, 5, 6))).toBe(
    '{"event":"job.failed","timestamp":"2026-01-02T03:04:05.006Z","data":{"jobId":"j1"}}',
  );
});
