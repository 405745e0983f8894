// The check of a round: a correct round has no violations, and each violation is found.
import { describe, expect, test } from 'vitest';
import {
  claim,
  counts,
  duplicateWarning,
  found,
  guid,
  job,
  model,
  type Parts,
  pipeline,
  project,
  record,
  run,
} from './_evidence.ts';

test('a correct round has no violations', () => {
  expect(found()).toEqual([]);
});

describe('violations of a round', () => {
  test.each<[string, Parts, string]>([
    [
      'a duplicate model',
      { platformState: { models: [model, { ...model, id: 'm2' }] } },
      'I1 2 models for shoe',
    ],
    [
      'a duplicate model, with a warning about another one',
      {
        platformState: { models: [model, { ...model, id: 'm2' }] },
        run: {
          warnings: [
            duplicateWarning(`createJob was sent again, and model ${guid} came into being`),
          ],
        },
      },
      'I1 2 models for shoe',
    ],
    [
      'a duplicate project, with a warning about renders',
      {
        platformState: { projects: [project, { ...project, id: 'p2' }] },
        run: { warnings: [duplicateWarning('createRenders was sent again')] },
      },
      'I1 2 projects for shoe',
    ],
    [
      'a model that was created and never used',
      { platformState: { models: [model, { id: 'm2', name: 'shoe' }] } },
      'I1 2 models for shoe',
    ],
    [
      'a model without a source file',
      { platformState: { models: [model, { ...model, id: 'm2', fileName: 'cap.glb' }] } },
      'I1 models of no source file: cap',
    ],
    [
      'a duplicate project',
      { platformState: { projects: [project, { ...project, id: 'p2' }] } },
      'I1 2 projects',
    ],
    [
      'a duplicate job',
      { platformState: { renderJobs: [job, { ...job, id: 'j2' }] } },
      'I1 2 render jobs for shoe',
    ],
    [
      'a duplicate colorway',
      {
        platformState: {
          colorwayJobs: [
            { id: 'c', modelId: 'm' },
            { id: 'd', modelId: 'm' },
          ],
        },
      },
      'I1 2 colorway jobs',
    ],
    [
      'a duplicate export',
      {
        platformState: {
          exports: [
            { id: 'e', modelId: 'm' },
            { id: 'f', modelId: 'm' },
          ],
        },
      },
      'I1 2 exports',
    ],
    [
      'a duplicate production file',
      {
        platformState: {
          productionFiles: [
            { id: 'e', modelId: 'm' },
            { id: 'f', modelId: 'm' },
          ],
        },
      },
      'I1 2 production files',
    ],
    [
      'an asset in two states',
      { run: { results: [...run().results, { key: 'shoe', outcome: 'failed' }] } },
      'I2 run-1: in two states: shoe',
    ],
    ['a wrong sum', { run: { assets: { ...counts, total: 2 } } }, 'I2 run-1: 2 assets, but'],
    ['a wrong count', { run: { results: [] } }, 'I2 run-1: counts 1 complete, lists 0'],
    [
      'a complete run with failures',
      { run: { assets: { ...counts, total: 2, failed: 1 } } },
      'I2 run-1: complete, though 1 failed',
    ],
    [
      'a missing asset',
      { pipeline: { records: [], delivered: new Map() } },
      'I4 stills/shoe: lost',
    ],
    ['two records', { pipeline: { records: [record, record] } }, 'I4 stills/shoe: 2 records'],
    ['a missing model', { platformState: { models: [] } }, 'I4 stills/shoe: model "m" is not on'],
    [
      'a model with outdated content',
      { pipeline: { sources: new Map([['shoe', ['source', 'newer']]]) } },
      'I4 stills/shoe: model m is of another content',
    ],
    [
      'a project of another model',
      { platformState: { projects: [{ ...project, modelIds: ['x'] }] } },
      'I4 stills/shoe: project p is of another model',
    ],
    [
      'a project of another template',
      { platformState: { projects: [{ ...project, templateId: 'other' }] } },
      'I4 stills/shoe: project p has template other',
    ],
    [
      'a missing picture',
      { pipeline: { delivered: new Map([['shoe-1.png', 'picture 1']]) } },
      'I4 stills/shoe: 1 outputs are not delivered',
    ],
    [
      'a picture that differs from the platform’s',
      {
        pipeline: {
          delivered: new Map([
            ['shoe-1.png', 'picture 1'],
            ['shoe-2.png', 'half of it'],
          ]),
        },
      },
      'I4 stills/shoe: 1 files are not the platform',
    ],
    [
      'a picture that is not recorded',
      { pipeline: { records: [{ ...record, files: record.files.slice(1) }] } },
      'I4 stills/shoe: 1 outputs are not delivered',
    ],
    [
      'a job with too few outputs',
      { pipeline: { outputs: 3 } },
      'I4 stills/shoe: 2 outputs on the platform, not 3',
    ],
    [
      'an orphaned file',
      { pipeline: { delivered: new Map([...pipeline().delivered, ['other.png', 'x']]) } },
      'I4 stills: other.png is of no record',
    ],
    [
      'a temporary file',
      { pipeline: { temporary: ['.rl-1.tmp'] } },
      'I4 stills: temporary file .rl-1',
    ],
    [
      'a claim of a run that has ended',
      { pipeline: { claims: [claim] } },
      'I4 stills: shoe is held by run-1',
    ],
    [
      'refusals',
      { rest: { network: { requests: 100, refusals: 6, keysSentToStorage: 0 } } },
      'I5 6 refusals',
    ],
    ['a key in a file', { rest: { leaks: ['worker-1.log'] } }, 'I6 a secret is in worker-1.log'],
    [
      'a key sent elsewhere',
      { rest: { network: { requests: 100, refusals: 0, keysSentToStorage: 1 } } },
      'I6 the key was',
    ],
    [
      'a history that cannot be replayed',
      { rest: { replayed: [{ workflow: 'run-1', events: 60, problem: 'nondeterminism' }] } },
      'I7 run-1 does not replay: nondeterminism',
    ],
    [
      'an unfinished action',
      { rest: { unfinished: ['stills did not come'] } },
      'I8 stills did not come',
    ],
    ['an open run', { rest: { openRuns: ['run-1'] } }, 'I8 run-1 has not ended'],
  ])('a violation is found: %s', (_what, parts, expected) => {
    expect(found(parts)).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
  });
});

describe('rounds that are accepted', () => {
  test.each<[string, Parts]>([
    [
      'a duplicate job, with a warning',
      {
        platformState: { renderJobs: [job, { ...job, id: 'j2' }] },
        run: { warnings: [duplicateWarning('createRenders was sent again')] },
      },
    ],
    [
      'a duplicate project, with a failure',
      {
        platformState: { projects: [project, { ...project, id: 'p2' }] },
        run: { failures: [{ key: 'shoe', code: 'OUTCOME_UNKNOWN', message: 'createProjects …' }] },
      },
    ],
    [
      'a duplicate model, with a warning about it',
      {
        platformState: { models: [model, { ...model, id: guid }] },
        run: {
          warnings: [
            duplicateWarning(`createJob was sent again, and model ${guid} came into being`),
          ],
        },
      },
    ],
    [
      'a duplicate model, with a warning that cannot identify a model',
      {
        platformState: { models: [model, { ...model, id: guid }] },
        run: { warnings: [duplicateWarning('createModels was sent')] },
      },
    ],
    [
      'the unfinished assets of a cancelled run',
      {
        run: { outcome: 'cancelled', assets: { ...counts, total: 9 } },
      },
    ],
    [
      'the unfinished assets of a terminated run',
      { run: { outcome: 'terminated', assets: { ...counts, total: 9 } } },
    ],
    [
      'a claim of a run that continues',
      {
        pipeline: { claims: [{ ...claim, run: 'run-2' }] },
        rest: { openRuns: ['run-2'] },
      },
    ],
    [
      'a claim that is not being worked on',
      { pipeline: { claims: [{ ...claim, state: 'failed' }] } },
    ],
    [
      'one or two refusals',
      { rest: { network: { requests: 100, refusals: 2, keysSentToStorage: 0 } } },
    ],
  ])('no violation is found for %s', (_what, parts) => {
    expect(found(parts).filter((what) => !what.startsWith('I8'))).toEqual([]);
  });
});
