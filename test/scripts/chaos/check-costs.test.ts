// Charges and history lengths of a round. Excess is found, and explained charges are accepted.
import { describe, expect, test } from 'vitest';
import {
  capture,
  duplicateWarning,
  found,
  guid,
  job,
  limits,
  model,
  type Parts,
  project,
  run,
  sharedFolderPipelines,
} from './_evidence.ts';

describe('violations that concern costs', () => {
  test.each<[string, Parts, string]>([
    [
      'a cancelled job without a cancelled run',
      { platformState: { renderJobs: [{ ...job, id: 'j0', cancelledAt: 1 }, job] } },
      'I3 1 render jobs for shoe that no asset has, and 0 are reported as possible duplicates: j0',
    ],
    [
      'a job that was cancelled with a run of another pipeline',
      {
        platformState: { renderJobs: [{ ...job, id: 'j0', cancelledAt: 1 }, job] },
        rest: {
          runs: [run(), { ...run(), run: 'run-2', pipeline: 'other', outcome: 'cancelled' }],
        },
      },
      'I3 1 render jobs for shoe',
    ],
    [
      'four more jobs than a warning about a repeated call explains',
      {
        platformState: {
          renderJobs: [job, ...['j2', 'j3', 'j4', 'j5'].map((id) => ({ ...job, id }))],
        },
        run: { warnings: [duplicateWarning('createRenders was sent again')] },
      },
      'I3 4 render jobs for shoe that no asset has, and 3 are reported as possible duplicates: j2, j3, j4, j5',
    ],
    [
      'seven more jobs than a restart of the platform explains',
      {
        platformState: {
          starts: 2,
          renderJobs: ['j', 'j2', 'j3', 'j4', 'j5', 'j6', 'j7', 'j8'].map((id) => ({ ...job, id })),
        },
        run: { warnings: [duplicateWarning('createRenders was sent again')] },
      },
      'I3 7 render jobs for shoe that no asset has, and 6 are reported as possible duplicates',
    ],
    [
      'a job without a record, of a recorded project',
      { platformState: { renderJobs: [{ ...job, id: 'j2' }] } },
      'I3 1 render jobs for shoe that no asset has, and 0 are reported as possible duplicates: j2',
    ],
    [
      'a separate model for each of two pipelines that use the same one',
      {
        platformState: { models: [model, { ...model, id: 'm2' }] },
        pipeline: { sharingPipelines: 2 },
      },
      'I3 1 models for shoe that no asset has, and 0 are reported as possible duplicates: m2',
    ],
    [
      'two models, only one of which is in a warning',
      {
        platformState: {
          models: [model, { ...model, id: guid }, { ...model, id: 'm3', file: undefined }],
        },
        pipeline: { sharingPipelines: 2 },
        run: {
          warnings: [
            duplicateWarning(`createJob was sent again, and model ${guid} came into being`),
          ],
        },
      },
      'I3 2 models for shoe that no asset has, and 1 are reported as possible duplicates',
    ],
    [
      'a second capture of one variant',
      { platformState: { captures: [capture, { ...capture, id: 'k2' }] } },
      'I3 1 captures for shoe that no asset has, and 0 are reported as possible duplicates: k2',
    ],
    [
      'a capture of a model without a record',
      {
        platformState: {
          models: [model, { ...model, id: 'm2' }],
          captures: [capture, { ...capture, id: 'k2', modelId: 'm2' }],
        },
      },
      'I3 1 captures for shoe',
    ],
    [
      'a model that was deleted before its confirmation, although its source was never replaced',
      { platformState: { models: [model, { ...model, id: 'm2', deleted: true }] } },
      'I1 2 models for shoe, which has 1 pipelines and 1 contents',
    ],
    [
      'a model that was deleted after its confirmation',
      {
        platformState: { models: [model, { ...model, id: 'm2', deleted: true, confirmedAt: 1 }] },
        pipeline: { sources: new Map([['shoe', ['before', 'source']]]) },
      },
      'I1 2 models for shoe, which has 1 pipelines and 2 contents',
    ],
    [
      'more models than the limits allow',
      {
        platformState: { models: [model, { ...model, id: 'm2' }] },
        pipeline: { limits: { ...limits, models: 1 } },
      },
      'I3 stills: 2 models, and its limits allow 1',
    ],
    [
      'more projects than the limits allow',
      { pipeline: { limits: { ...limits, projects: 0 } } },
      'I3 stills: 1 projects, and its limits allow 0',
    ],
    [
      'more renders than the limits allow, including captures and cancelled jobs',
      {
        platformState: {
          renderJobs: [{ ...job, id: 'j0', cancelledAt: 1 }, job],
          captures: [capture],
        },
        pipeline: { limits: { ...limits, renders: 2 } },
      },
      'I3 stills: 3 renders, and its limits allow 2',
    ],
    [
      'a run with more requests than the limits allow',
      { run: { requests: { total: 101 } }, pipeline: { limits } },
      'I3 stills: 101 requests of a run, and its limits allow 100',
    ],
    [
      'a history that is too large together with the histories of its shards',
      {
        rest: {
          replayed: [
            { workflow: 'run-1', events: 300, problem: null },
            { workflow: 'run-1/shard-0001', events: 131, problem: null },
          ],
        },
      },
      'I9 run-1: 431 events for 1 assets',
    ],
  ])('a violation is found: %s', (_what, parts, expected) => {
    expect(found(parts)).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
  });
});

const givenUp = { ...model, id: 'm2', deleted: true } as const;

describe('costs that are accepted', () => {
  test.each<[string, Parts]>([
    [
      'a model that was deleted before its confirmation, since its source was replaced during the upload',
      {
        platformState: { models: [{ ...model, confirmedAt: 1 }, givenUp] },
        pipeline: { sources: new Map([['shoe', ['before', 'source']]]) },
      },
    ],
    [
      'a job after one that was cancelled with its run',
      {
        platformState: { renderJobs: [{ ...job, id: 'j0', cancelledAt: 1 }, job] },
        rest: { runs: [{ ...run(), run: 'run-0', outcome: 'cancelled' }, run()] },
      },
    ],
    [
      'a model, a project, a job and a capture for each version of a source',
      {
        platformState: {
          models: [{ ...model, id: 'm0', file: { sha256: 'older' } }, model],
          projects: [{ ...project, id: 'p0', modelIds: ['m0'] }, project],
          renderJobs: [{ ...job, id: 'j0', projectId: 'p0' }, job],
          captures: [{ ...capture, id: 'k0', modelId: 'm0' }, capture],
        },
        pipeline: { sources: new Map([['shoe', ['older', 'source']]]) },
      },
    ],
    [
      'a model for each of two pipelines',
      {
        platformState: {
          models: [model, { ...model, id: 'm2' }],
          projects: [project, { ...project, id: 'p2', modelIds: ['m2'] }],
          renderJobs: [job, { ...job, id: 'j2', projectId: 'p2' }],
        },
        pipeline: { sharingPipelines: 2 },
        rest: { pipelines: sharedFolderPipelines },
      },
    ],
    [
      'costs within the limits, for pipelines that share their files',
      {
        platformState: { captures: [capture, { ...capture, id: 'k2', variantId: 'w' }] },
        pipeline: {
          sharingPipelines: 2,
          limits: { models: 1, projects: 1, renders: 2, requests: 20 },
        },
      },
    ],
    [
      'costs above the limits because of a repeated call, with a warning',
      {
        platformState: { models: [model, { ...model, id: guid }] },
        run: { warnings: [duplicateWarning('createJob was sent again')] },
        pipeline: { limits: { ...limits, models: 1 } },
      },
    ],
    [
      'four more jobs after a restart of the platform, since each start may lose three calls',
      {
        platformState: {
          starts: 2,
          renderJobs: ['j', 'j2', 'j3', 'j4', 'j5'].map((id) => ({ ...job, id })),
        },
        run: { warnings: [duplicateWarning('createRenders was sent again')] },
      },
    ],
    [
      'histories that are short for their assets, together with those of another run',
      {
        rest: {
          replayed: [
            { workflow: 'run-1', events: 300, problem: null },
            { workflow: 'run-1/shard-0001', events: 70, problem: null },
            { workflow: 'run-10', events: 300, problem: null },
          ],
        },
      },
    ],
  ])('no violation is found for %s', (_what, parts) => {
    expect(found(parts).filter((what) => !what.startsWith('I8'))).toEqual([]);
  });
});
