import { expect } from 'vitest';
import { bodyRows, done, invalid, ok, type Row, type Table } from '../_rows.ts';
import {
  Connectors,
  nodeTypes,
  Pipeline,
  PipelineCreated,
  PipelineJobs,
  Pipelines,
  PipelineUpdated,
} from '../_shapes-pipelines.ts';

/** The error code is not documented. */
const missing = { status: 404 };
const node = { type: 'model_ready', enabled: true };
const create = '@createPipeline';
const noDelete = 'no operation deletes a pipeline';
const pipeline = { name: 'Conformance', nodes: [node] };

export const pipelines: Table = {
  section: '4.8 pipelines, 2.10',
  rows: [
    ...bodyRows('name is a required string', create, invalid, [
      { nodes: [node] },
      { ...pipeline, name: 7 },
      { ...pipeline, name: null },
    ]),
    ...bodyRows('nodes is required and has at least one node', create, invalid, [
      { name: 'p' },
      { name: 'p', nodes: [] },
      { name: 'p', nodes: node },
      { name: 'p', nodes: [7] },
    ]),
    ...bodyRows('a node has one of eight types, and the field enabled', create, invalid, [
      { name: 'p', nodes: [{ enabled: true }] },
      { name: 'p', nodes: [{ type: 'upload', enabled: true }] },
      { name: 'p', nodes: [{ type: 'RENDER', enabled: true }] },
      { name: 'p', nodes: [{ type: 'render' }] },
      { name: 'p', nodes: [{ type: 'render', enabled: 'yes' }] },
      { name: 'p', nodes: [{ ...node, config: 'fast' }] },
    ]),
    ...bodyRows(
      'batchSize is an integer from 1 to 100',
      create,
      invalid,
      [0, 101, 1.5, '10'].map((batchSize) => ({ ...pipeline, batchSize })),
    ),
    ...bodyRows(
      'maxRetries is an integer from 0 to 10',
      create,
      invalid,
      [-1, 11, 0.5, '1'].map((maxRetries) => ({ ...pipeline, maxRetries })),
    ),
    ...nodeTypes.map(
      (type): Row => ({
        rule: `the node type ${type} is accepted`,
        send: create,
        only: noDelete,
        body: {
          name: `Conformance ${type}`,
          nodes: [{ type, enabled: false, config: { any: [1] } }],
        },
        is: done(PipelineCreated, { nodes: [{ type, enabled: false }] }),
      }),
    ),
    ...[
      { batchSize: 1, maxRetries: 0 },
      { batchSize: 100, maxRetries: 10 },
    ].map(
      (bounds): Row => ({
        rule: 'the bounds of batchSize and maxRetries are accepted',
        send: create,
        only: noDelete,
        body: { ...pipeline, ...bounds },
        is: done(PipelineCreated, bounds),
      }),
    ),
    {
      rule: 'a pipeline is created, read, listed and updated',
      only: noDelete,
      check: async (p) => {
        const nodes = [
          { type: 'connector_poll', enabled: true },
          { type: 'render', enabled: false },
        ];
        const made = await p.ok(create, PipelineCreated, {
          name: 'Whole',
          nodes,
          batchSize: 5,
          maxRetries: 2,
        });
        expect(made).toMatchObject({ name: 'Whole', nodes, batchSize: 5, maxRetries: 2 });
        const read = await p.ok(`@getPipeline ${made.id}`, Pipeline);
        expect(read).toMatchObject({
          id: made.id,
          name: 'Whole',
          status: made.status,
          nodes,
          batchSize: 5,
          maxRetries: 2,
          consecutiveFailures: 0,
        });
        expect(new Set(read.nodes.map(({ id }) => id)).size).toBe(2);
        const { pipelines: listed } = await p.ok('@listPipelines', Pipelines);
        expect(listed.find(({ id }) => id === made.id)).toMatchObject({ name: 'Whole', nodes });
        await p.advance(1);
        const updated = await p.ok(`@updatePipeline ${made.id}`, PipelineUpdated, {
          name: 'Renamed',
          batchSize: 7,
        });
        expect(updated).toMatchObject({
          id: made.id,
          name: 'Renamed',
          status: made.status,
          batchSize: 7,
          maxRetries: 2,
        });
        const later = await p.ok(`@getPipeline ${made.id}`, Pipeline);
        expect(later).toMatchObject({
          name: 'Renamed',
          batchSize: 7,
          nodes: read.nodes,
          createdAt: read.createdAt,
        });
        expect(Date.parse(later.updatedAt)).toBeGreaterThan(Date.parse(read.updatedAt));
      },
    },
    ...['ACTIVE', 'PAUSED', 'ERROR'].map(
      (status): Row => ({
        rule: `the status ${status} can be set`,
        only: noDelete,
        check: async (p) => {
          const { id } = await p.ok(create, PipelineCreated, pipeline);
          await p.meets(
            `@updatePipeline ${id}`,
            { body: { status } },
            ok(PipelineUpdated, { status }),
          );
          await p.meets(`@getPipeline ${id}`, {}, ok(Pipeline, { status }));
        },
      }),
    ),
    {
      rule: 'all fields of an update are optional, and an invalid update changes no field',
      only: noDelete,
      check: async (p) => {
        const made = await p.ok(create, PipelineCreated, pipeline);
        const update = `@updatePipeline ${made.id}`;
        await p.meets(update, { body: {} }, ok(PipelineUpdated));
        for (const body of [
          { status: 'RUNNING' },
          { name: 7 },
          { batchSize: 0 },
          { batchSize: 101 },
          { maxRetries: 11 },
          { maxRetries: -1 },
          { nodes: [{ type: 'nothing', enabled: true }] },
          { name: 'Changed', batchSize: 0 },
        ]) {
          await p.refused(update, invalid, { body });
        }
        await p.meets(
          `@getPipeline ${made.id}`,
          {},
          ok(Pipeline, { name: pipeline.name, batchSize: made.batchSize }),
        );
      },
    },
    {
      rule: 'an update replaces the nodes, whose parentIds form a DAG',
      only: noDelete,
      check: async (p) => {
        const { id } = await p.ok(create, PipelineCreated, pipeline);
        const nodes = [
          { id: 'a', type: 'model_ready', enabled: true },
          { id: 'b', type: 'render', enabled: false, parentIds: ['a'] },
        ];
        await p.meets(`@updatePipeline ${id}`, { body: { nodes } }, ok(PipelineUpdated));
        const read = await p.ok(`@getPipeline ${id}`, Pipeline);
        expect(read.nodes.map(({ type, enabled }) => ({ type, enabled }))).toEqual([
          { type: 'model_ready', enabled: true },
          { type: 'render', enabled: false },
        ]);
        for (const parentIds of [['nothing'], ['b'], 'a', [7]]) {
          const wrong = [nodes[0], { ...nodes[1], parentIds }];
          await p.refused(`@updatePipeline ${id}`, invalid, { body: { nodes: wrong } });
        }
      },
    },
    {
      rule: 'a pipeline without files has no jobs',
      only: noDelete,
      check: async (p) => {
        const { id } = await p.ok(create, PipelineCreated, pipeline);
        const jobs = await p.ok(`@listPipelineJobs ${id}`, PipelineJobs);
        expect(jobs).toMatchObject({ jobs: [], total: 0, offset: 0 });
        const { jobStats } = await p.ok(`@getPipeline ${id}`, Pipeline);
        expect(Object.values(jobStats).every((count) => count === 0)).toBe(true);
      },
    },
    { rule: 'connectors are listed', send: '@listConnectors', is: ok(Connectors) },
    ...['@getPipeline {absent}', '@listPipelineJobs {absent}'].map(
      (send): Row => ({ rule: 'an unknown pipeline is refused', send, is: missing }),
    ),
    {
      rule: 'an unknown pipeline is refused',
      send: '@updatePipeline {absent}',
      body: { name: 'x' },
      is: missing,
    },
  ],
};
