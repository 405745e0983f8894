// The look at what a round leaves: nothing is found where all is well, and each violation is found.
import { describe, expect, test } from 'vitest';
import { checkRound } from '../../../scripts/chaos/check/check.ts';
import type {
  Books,
  Evidence,
  PipelineEvidence,
  ShownRun,
} from '../../../scripts/chaos/check/evidence.ts';

/** One asset of one pipeline, delivered with two pictures. */
function books(): Books {
  return {
    models: [{ id: 'm', name: 'shoe', fileName: 'shoe.glb', file: { sha256: 'source' } }],
    projects: [{ id: 'p', modelIds: ['m'], templateId: 'tpl' }],
    renderJobs: [{ id: 'j', projectId: 'p', outputIds: ['o1', 'o2'] }],
    outputs: [{ id: 'o1' }, { id: 'o2' }],
    colorwayJobs: [{ id: 'c', modelId: 'm' }],
    captures: [],
    exports: [],
    productionFiles: [],
    templates: [],
    contents: new Map([
      ['o1', 'picture 1'],
      ['o2', 'picture 2'],
    ]),
  };
}

function pipeline(): PipelineEvidence {
  return {
    name: 'stills',
    sharers: 1,
    outputs: 2,
    sources: new Map([['shoe', ['source']]]),
    templateId: 'tpl',
    delivered: new Map([
      ['shoe-1.png', 'picture 1'],
      ['shoe-2.png', 'picture 2'],
    ]),
    temporary: [],
    records: [
      {
        key: 'shoe',
        refs: { modelId: 'm', projectId: 'p', jobId: 'j' },
        files: [
          { path: 'shoe-1.png', sha256: 'picture 1' },
          { path: 'shoe-2.png', sha256: 'picture 2' },
        ],
      },
    ],
    claims: [],
  };
}

function run(): ShownRun {
  return {
    run: 'run-1',
    pipeline: 'stills',
    outcome: 'complete',
    assets: { total: 1, complete: 1, failed: 0, skipped: 0, unchanged: 0 },
    files: [],
    failures: [],
    warnings: [],
    results: [{ key: 'shoe', outcome: 'complete' }],
    requests: { total: 20 },
  };
}

interface Parts {
  books?: Partial<Books>;
  pipeline?: Partial<PipelineEvidence>;
  run?: Partial<ShownRun>;
  rest?: Partial<Evidence>;
}

function found(parts: Parts = {}): string[] {
  const evidence: Evidence = {
    unfinished: [],
    pipelines: [{ ...pipeline(), ...parts.pipeline }],
    books: { ...books(), ...parts.books },
    runs: [{ ...run(), ...parts.run }],
    open: [],
    replayed: [{ workflow: 'run-1', events: 60, problem: null }],
    leaks: [],
    network: { requests: 100, refusals: 0, keysOutside: 0 },
    ...parts.rest,
  };
  return checkRound(evidence).map(({ invariant, what }) => `${invariant} ${what}`);
}

const [model] = books().models;
const [project] = books().projects;
const [job] = books().renderJobs;
const [record] = pipeline().records;
if (!model || !project || !job || !record) throw new Error('the example has all of them');
const counts = run().assets;
const capture = { id: 'k', modelId: 'm', variantId: 'v' };
const limits = { models: 9, projects: 9, renders: 9, requests: 100 };
const twins: PipelineEvidence[] = [
  { ...pipeline(), sharers: 2 },
  {
    ...pipeline(),
    name: 'dark',
    sharers: 2,
    records: [{ ...record, refs: { modelId: 'm2', projectId: 'p2', jobId: 'j2' } }],
  },
];
const claim = { file: 'claims/shoe.json', key: 'shoe', run: 'run-1', state: 'working' };

const guid = '01234567-89ab-4cde-8f01-23456789abcd';
const told = (sent: string) => ({
  key: 'shoe',
  message: `${sent}, so its work may have been done, and counted, twice`,
});

test('where all is well nothing is found', () => {
  expect(found()).toEqual([]);
});

describe('a violation is found', () => {
  test.each<[string, Parts, string]>([
    [
      'a model twice',
      { books: { models: [model, { ...model, id: 'm2' }] } },
      'I1 2 models for shoe',
    ],
    [
      'a model twice, though a warning names another one',
      {
        books: { models: [model, { ...model, id: 'm2' }] },
        run: { warnings: [told(`createJob was sent again, and model ${guid} came into being`)] },
      },
      'I1 2 models for shoe',
    ],
    [
      'a project twice, though a warning tells of renders',
      {
        books: { projects: [project, { ...project, id: 'p2' }] },
        run: { warnings: [told('createRenders was sent again')] },
      },
      'I1 2 projects for shoe',
    ],
    [
      'a model that was made and never used',
      { books: { models: [model, { id: 'm2', name: 'shoe' }] } },
      'I1 2 models for shoe',
    ],
    [
      'a model of nothing',
      { books: { models: [model, { ...model, id: 'm2', fileName: 'cap.glb' }] } },
      'I1 models of no source file: cap',
    ],
    [
      'a project twice',
      { books: { projects: [project, { ...project, id: 'p2' }] } },
      'I1 2 projects',
    ],
    [
      'a job twice',
      { books: { renderJobs: [job, { ...job, id: 'j2' }] } },
      'I1 2 render jobs for shoe',
    ],
    [
      'a colorway twice',
      {
        books: {
          colorwayJobs: [
            { id: 'c', modelId: 'm' },
            { id: 'd', modelId: 'm' },
          ],
        },
      },
      'I1 2 colorway jobs',
    ],
    [
      'an export twice',
      {
        books: {
          exports: [
            { id: 'e', modelId: 'm' },
            { id: 'f', modelId: 'm' },
          ],
        },
      },
      'I1 2 exports',
    ],
    [
      'a production file twice',
      {
        books: {
          productionFiles: [
            { id: 'e', modelId: 'm' },
            { id: 'f', modelId: 'm' },
          ],
        },
      },
      'I1 2 production files',
    ],
    [
      'a job that was cancelled though no run was',
      { books: { renderJobs: [{ ...job, id: 'j0', cancelledAt: 1 }, job] } },
      'I3 1 render jobs for shoe that no asset has, and 0 are told of: j0',
    ],
    [
      'a job that was cancelled when another pipeline was',
      {
        books: { renderJobs: [{ ...job, id: 'j0', cancelledAt: 1 }, job] },
        rest: {
          runs: [run(), { ...run(), run: 'run-2', pipeline: 'other', outcome: 'cancelled' }],
        },
      },
      'I3 1 render jobs for shoe',
    ],
    [
      'four jobs more where a warning tells of a call that was sent again',
      {
        books: { renderJobs: [job, ...['j2', 'j3', 'j4', 'j5'].map((id) => ({ ...job, id }))] },
        run: { warnings: [told('createRenders was sent again')] },
      },
      'I3 4 render jobs for shoe that no asset has, and 3 are told of: j2, j3, j4, j5',
    ],
    [
      'a job that no record has, of a project that one has',
      { books: { renderJobs: [{ ...job, id: 'j2' }] } },
      'I3 1 render jobs for shoe that no asset has, and 0 are told of: j2',
    ],
    [
      'a model of its own for each of two pipelines that use the same one',
      {
        books: { models: [model, { ...model, id: 'm2' }] },
        pipeline: { sharers: 2 },
      },
      'I3 1 models for shoe that no asset has, and 0 are told of: m2',
    ],
    [
      'two models of which a warning names only one',
      {
        books: { models: [model, { ...model, id: guid }, { ...model, id: 'm3', file: undefined }] },
        pipeline: { sharers: 2 },
        run: { warnings: [told(`createJob was sent again, and model ${guid} came into being`)] },
      },
      'I3 2 models for shoe that no asset has, and 1 are told of',
    ],
    [
      'a capture twice of one variant',
      { books: { captures: [capture, { ...capture, id: 'k2' }] } },
      'I3 1 captures for shoe that no asset has, and 0 are told of: k2',
    ],
    [
      'a capture of a model that no record has',
      {
        books: {
          models: [model, { ...model, id: 'm2' }],
          captures: [capture, { ...capture, id: 'k2', modelId: 'm2' }],
        },
      },
      'I3 1 captures for shoe',
    ],
    [
      'more models than the limits allow',
      {
        books: { models: [model, { ...model, id: 'm2' }] },
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
      'more renders than the limits allow, with captures and what was cancelled',
      {
        books: { renderJobs: [{ ...job, id: 'j0', cancelledAt: 1 }, job], captures: [capture] },
        pipeline: { limits: { ...limits, renders: 2 } },
      },
      'I3 stills: 3 renders, and its limits allow 2',
    ],
    [
      'a run of more requests than the limits allow',
      { run: { requests: { total: 101 } }, pipeline: { limits } },
      'I3 stills: 101 requests of a run, and its limits allow 100',
    ],
    [
      'an asset in two states',
      { run: { results: [...run().results, { key: 'shoe', outcome: 'failed' }] } },
      'I2 run-1: in two states: shoe',
    ],
    [
      'a sum that is wrong',
      { run: { assets: { ...counts, total: 2 } } },
      'I2 run-1: 2 assets, but',
    ],
    ['a count that is wrong', { run: { results: [] } }, 'I2 run-1: counts 1 complete, tells of 0'],
    [
      'a complete run with failures',
      { run: { assets: { ...counts, total: 2, failed: 1 } } },
      'I2 run-1: complete, though 1 failed',
    ],
    [
      'an asset that is lost',
      { pipeline: { records: [], delivered: new Map() } },
      'I4 stills/shoe: lost',
    ],
    ['two records', { pipeline: { records: [record, record] } }, 'I4 stills/shoe: 2 records'],
    ['a model that is gone', { books: { models: [] } }, 'I4 stills/shoe: model "m" is not on'],
    [
      'a model of an old content',
      { pipeline: { sources: new Map([['shoe', ['source', 'newer']]]) } },
      'I4 stills/shoe: model m is of another content',
    ],
    [
      'a project of another model',
      { books: { projects: [{ ...project, modelIds: ['x'] }] } },
      'I4 stills/shoe: project p is of another model',
    ],
    [
      'a project of another template',
      { books: { projects: [{ ...project, templateId: 'other' }] } },
      'I4 stills/shoe: project p has template other',
    ],
    [
      'a picture that is missing',
      { pipeline: { delivered: new Map([['shoe-1.png', 'picture 1']]) } },
      'I4 stills/shoe: 1 outputs are not delivered',
    ],
    [
      'a picture that is not the platform’s',
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
      'a picture that was not taken',
      { pipeline: { records: [{ ...record, files: record.files.slice(1) }] } },
      'I4 stills/shoe: 1 outputs are not delivered',
    ],
    [
      'a job with too few outputs',
      { pipeline: { outputs: 3 } },
      'I4 stills/shoe: 2 outputs on the platform, not 3',
    ],
    [
      'a stray file',
      { pipeline: { delivered: new Map([...pipeline().delivered, ['other.png', 'x']]) } },
      'I4 stills: other.png is of no record',
    ],
    [
      'a temporary file',
      { pipeline: { temporary: ['.rl-1.tmp'] } },
      'I4 stills: temporary file .rl-1',
    ],
    ['a claim that is held', { pipeline: { claims: [claim] } }, 'I4 stills: shoe is held by run-1'],
    [
      'refusals',
      { rest: { network: { requests: 100, refusals: 6, keysOutside: 0 } } },
      'I5 6 refusals',
    ],
    ['a key in a file', { rest: { leaks: ['worker-1.log'] } }, 'I6 a secret is in worker-1.log'],
    [
      'a key sent elsewhere',
      { rest: { network: { requests: 100, refusals: 0, keysOutside: 1 } } },
      'I6 the key was',
    ],
    [
      'a history that does not replay',
      { rest: { replayed: [{ workflow: 'run-1', events: 60, problem: 'nondeterminism' }] } },
      'I7 run-1 does not replay: nondeterminism',
    ],
    [
      'what did not end',
      { rest: { unfinished: ['stills did not come'] } },
      'I8 stills did not come',
    ],
    ['a run that goes on', { rest: { open: ['run-1'] } }, 'I8 run-1 has not ended'],
    [
      'a history that grows without an end, with those of its shards',
      {
        rest: {
          replayed: [
            { workflow: 'run-1', events: 200, problem: null },
            { workflow: 'run-1/shard-0001', events: 71, problem: null },
          ],
        },
      },
      'I9 run-1: 271 events for 1 assets',
    ],
  ])('%s', (_what, parts, expected) => {
    expect(found(parts)).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
  });
});

describe('no violation is', () => {
  test.each<[string, Parts]>([
    [
      'a job twice that a warning tells of',
      {
        books: { renderJobs: [job, { ...job, id: 'j2' }] },
        run: { warnings: [told('createRenders was sent again')] },
      },
    ],
    [
      'a project twice that a failure tells of',
      {
        books: { projects: [project, { ...project, id: 'p2' }] },
        run: { failures: [{ key: 'shoe', code: 'OUTCOME_UNKNOWN', message: 'createProjects …' }] },
      },
    ],
    [
      'a model twice that a warning names',
      {
        books: { models: [model, { ...model, id: guid }] },
        run: { warnings: [told(`createJob was sent again, and model ${guid} came into being`)] },
      },
    ],
    [
      'a model twice of which a warning can name none',
      {
        books: { models: [model, { ...model, id: guid }] },
        run: { warnings: [told('createModels was sent')] },
      },
    ],
    [
      'a job after one that was cancelled with its run',
      {
        books: { renderJobs: [{ ...job, id: 'j0', cancelledAt: 1 }, job] },
        rest: { runs: [{ ...run(), run: 'run-0', outcome: 'cancelled' }, run()] },
      },
    ],
    [
      'a model, a project, a job and a capture for each content of a source',
      {
        books: {
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
        books: {
          models: [model, { ...model, id: 'm2' }],
          projects: [project, { ...project, id: 'p2', modelIds: ['m2'] }],
          renderJobs: [job, { ...job, id: 'j2', projectId: 'p2' }],
        },
        pipeline: { sharers: 2 },
        rest: { pipelines: twins },
      },
    ],
    [
      'what the limits allow, of pipelines that share their files together',
      {
        books: { captures: [capture, { ...capture, id: 'k2', variantId: 'w' }] },
        pipeline: { sharers: 2, limits: { models: 1, projects: 1, renders: 2, requests: 20 } },
      },
    ],
    [
      'histories that are short for their assets, with those of another run',
      {
        rest: {
          replayed: [
            { workflow: 'run-1', events: 200, problem: null },
            { workflow: 'run-1/shard-0001', events: 70, problem: null },
            { workflow: 'run-10', events: 200, problem: null },
          ],
        },
      },
    ],
    [
      'what a cancelled run did not come to',
      {
        run: { outcome: 'cancelled', assets: { ...counts, total: 9 } },
      },
    ],
    [
      'a claim of a run that goes on',
      {
        pipeline: { claims: [{ ...claim, run: 'run-2' }] },
        rest: { open: ['run-2'] },
      },
    ],
    ['a claim that nobody works on', { pipeline: { claims: [{ ...claim, state: 'failed' }] } }],
    ['a refusal or two', { rest: { network: { requests: 100, refusals: 2, keysOutside: 0 } } }],
  ])('%s', (_what, parts) => {
    expect(found(parts).filter((what) => !what.startsWith('I8'))).toEqual([]);
  });
});
