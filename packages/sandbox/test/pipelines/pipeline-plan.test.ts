// The plan of a pipeline's nodes, valid graphs, and the status of a file's job.
import { describe, expect, test } from 'vitest';
import { ApiFailure } from '../../src/http/failure.ts';
import { createGraph } from '../../src/pipelines/create-graph.ts';
import { planOf } from '../../src/pipelines/plan.ts';
import type { PipelineJobRecord, PipelineNode } from '../../src/state/pipeline-records.ts';
import type { ModelRecord, RenderJobRecord } from '../../src/state/records.ts';
import { computePipelineJobStatus } from '../../src/status/pipeline-jobs.ts';
import { modelRecord, renderRecord, uploadedFile } from '../_records.ts';

const node = (
  type: PipelineNode['type'],
  config: PipelineNode['config'] = {},
  enabled = true,
): PipelineNode => ({ id: type, type, enabled, config, parentIds: [] });

describe('the plan', () => {
  test.each<[string, PipelineNode[], object]>([
    ['no nodes', [], { createsProject: false }],
    ['files only', [node('connector_poll')], { poll: {}, createsProject: false }],
    ['a disabled poll', [node('connector_poll', {}, false)], { createsProject: false }],
    [
      'files of a folder',
      [node('connector_poll', { connector: 'models', pattern: '*.glb' })],
      { poll: { connector: 'models', pattern: '*.glb' }, createsProject: false },
    ],
    [
      'unknown settings, which have no effect',
      [node('connector_poll', { connector: 7, pattern: '[', colour: 'red' })],
      { poll: {}, createsProject: false },
    ],
    ['a project', [node('project_created')], { createsProject: true }],
    [
      'a template, which also creates a project',
      [node('template_match')],
      { createsProject: true },
    ],
    [
      'a render, which also creates a project',
      [node('render')],
      { createsProject: true, settings: {} },
    ],
    ['a disabled render', [node('render', {}, false)], { createsProject: false }],
    [
      'nodes that only wait',
      [node('model_ready'), node('render_complete'), node('variant'), node('export')],
      { createsProject: false },
    ],
    [
      'settings',
      [node('render', { settings: { imageQuality: 2, extra: true } })],
      { createsProject: true, settings: { imageQuality: 2, extra: true } },
    ],
    [
      'invalid settings',
      [node('render', { settings: { imageQuality: 9 } })],
      { createsProject: true, settings: {} },
    ],
  ])('the plan is created from %s', (_title, nodes, plan) => {
    const { templateId, ...rest } = planOf(nodes);
    expect(rest).toEqual(plan);
    expect(templateId).toBeUndefined();
  });

  test.each<[string, PipelineNode[], string]>([
    ['the render node', [node('render', { templateId: 'r' })], 'r'],
    [
      'the project node',
      [node('render', { templateId: 'r' }), node('project_created', { templateId: 'p' })],
      'p',
    ],
    [
      'the match node',
      [
        node('template_match', { templateId: 'm' }),
        node('render', { templateId: 'r' }),
        node('project_created', { templateId: 'p' }),
      ],
      'm',
    ],
    [
      'the next node if the first has none',
      [node('template_match'), node('project_created', { templateId: 'p' })],
      'p',
    ],
    [
      'the next node if the first is disabled',
      [node('template_match', { templateId: 'm' }, false), node('render', { templateId: 'r' })],
      'r',
    ],
  ])('the plan takes the template from %s', (_title, nodes, templateId) => {
    expect(planOf(nodes).templateId).toBe(templateId);
  });
});

describe('the graph', () => {
  const asked = (id: string | undefined, ...parentIds: string[]) => ({
    id,
    type: 'variant' as const,
    enabled: true,
    parentIds,
  });
  const ids = () => {
    let count = 0;
    return () => `new-${(count += 1)}`;
  };

  test.each([
    ['one node', [asked('a')], ['a:']],
    ['a chain', [asked('a'), asked('b', 'a'), asked('c', 'b')], ['a:', 'b:a', 'c:b']],
    ['nodes before their parents', [asked('b', 'a'), asked('a')], ['b:a', 'a:']],
    [
      'a diamond',
      [asked('a'), asked('b', 'a'), asked('c', 'a'), asked('d', 'b', 'c')],
      ['a:', 'b:a', 'c:a', 'd:b,c'],
    ],
    ['a parent listed twice', [asked('a'), asked('b', 'a', 'a')], ['a:', 'b:a']],
    [
      'nodes without ids',
      [asked(undefined), asked('b'), asked(undefined)],
      ['new-1:', 'b:', 'new-2:'],
    ],
  ])('a graph of %s is stored', (_title, nodes, stored) => {
    const graph = createGraph(nodes, ids());
    expect(graph.map(({ id, parentIds }) => `${id}:${parentIds.join()}`)).toEqual(stored);
    expect(graph.every(({ config }) => Object.keys(config).length === 0)).toBe(true);
  });

  test.each([
    ['a duplicate id', [asked('a'), asked('a')], 'nodes[1].id: a is used twice'],
    [
      'an unknown parent',
      [asked('a'), asked('b', 'a', 'x')],
      'nodes[1].parentIds: this pipeline has no node x',
    ],
    ['a node that is its own parent', [asked('a', 'a')], 'nodes: a cycle contains or precedes a'],
    [
      'a cycle of two nodes',
      [asked('a', 'b'), asked('b', 'a')],
      'nodes: a cycle contains or precedes a, b',
    ],
    [
      'a node that depends on a cycle',
      [asked('a'), asked('b', 'a', 'c'), asked('c', 'b'), asked('d', 'c')],
      'nodes: a cycle contains or precedes b, c, d',
    ],
  ])('a graph with %s is refused', (_title, nodes, message) => {
    expect(() => createGraph(nodes, ids())).toThrow(new ApiFailure('VALIDATION_ERROR', message));
  });
});

describe('the job of a file', () => {
  const job: PipelineJobRecord = {
    id: 'pj1',
    pipelineId: 'pl1',
    connector: 'models',
    sourceFile: { name: 'chair.glb', path: 'chair.glb', size: 700 },
    modifiedAt: 0,
    retryCount: 0,
    renderOutputs: 0,
    createdAt: 0,
    updatedAt: 0,
  };
  const model = { modelId: 'm1' };
  const both = { ...model, renderJobId: 'r1' };

  test.each<
    [string, Partial<PipelineJobRecord>, Partial<ModelRecord>, Partial<RenderJobRecord>, string]
  >([
    ['without a model', {}, {}, {}, 'QUEUED'],
    ['whose model no longer exists', { modelId: 'gone' }, {}, {}, 'QUEUED'],
    ['whose model is created', model, {}, {}, 'INGESTING'],
    [
      'whose model is being processed',
      model,
      { file: uploadedFile, processMs: 9999 },
      {},
      'PROCESSING',
    ],
    ['with a ready model', model, { file: uploadedFile }, {}, 'RENDER_QUEUED'],
    ['with a queued render', both, { file: uploadedFile }, { dispatchAt: 9999 }, 'RENDER_QUEUED'],
    ['whose render is running', both, { file: uploadedFile }, { endAt: 9999 }, 'RENDERING'],
    ['whose pictures are not drawn yet', both, { file: uploadedFile }, {}, 'EXPORTING'],
    ['whose pictures are drawn', both, { file: uploadedFile }, { drawnAt: 1100 }, 'COMPLETED'],
    ['whose render failed', both, { file: uploadedFile }, { failure: 'no power' }, 'FAILED'],
    ['whose render was cancelled', both, { file: uploadedFile }, { cancelledAt: 1 }, 'CANCELLED'],
    [
      'whose render no longer exists',
      { ...model, renderJobId: 'x' },
      { file: uploadedFile },
      {},
      'RENDER_QUEUED',
    ],
    // A recorded end stays, whatever happens to the model and the render.
    [
      'with a recorded end',
      { ...both, ended: 'COMPLETED' },
      {},
      { failure: 'no power' },
      'COMPLETED',
    ],
    ['with a recorded failure', { ...both, ended: 'FAILED' }, {}, { drawnAt: 1100 }, 'FAILED'],
  ])(
    'computePipelineJobStatus() returns the status for a file %s',
    (_title, facts, modelFacts, renderFacts, status) => {
      const store = {
        models: new Map([['m1', modelRecord(modelFacts)]]),
        renderJobs: new Map([['r1', renderRecord(renderFacts)]]),
      } as unknown as Parameters<typeof computePipelineJobStatus>[0];
      expect(computePipelineJobStatus(store, { ...job, ...facts }, 1200)).toBe(status);
    },
  );
});
