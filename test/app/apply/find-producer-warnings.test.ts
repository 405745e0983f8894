// Warnings of `apply`: pipelines whose models an event trigger may take for models of other producers.
import { describe, expect, it } from 'vitest';
import { findProducerWarnings } from '../../../src/app/apply/find-producer-warnings.ts';
import { planOf } from '../../compile/_compile.ts';

const bucket = { type: 's3', bucket: 'records' };
const folder = { type: 'local', path: '/data/folder' };
const own = { type: 'local', path: '/data/events' };

function eventFile(more = '') {
  const plan = planOf(
    [
      'name: events',
      'connectors: { out: { type: local, path: /data/events } }',
      'records: out',
      'nodes:',
      `  - { id: ready, type: model_ready, config: { on: model.processed${more} } }`,
    ].join('\n'),
  );
  return { file: 'events.yaml', path: '/events.yaml', plan, limits: {} };
}

describe('a pipeline that starts with events', () => {
  it.each([
    [
      'a folder of the only host causes no warning',
      { records: folder, taskQueue: 'q', hosts: ['a'] },
      null,
    ],
    [
      'a folder without workers causes no warning',
      { records: folder, taskQueue: 'q', hosts: [] },
      null,
    ],
    [
      'a bucket of several hosts causes no warning',
      { records: bucket, taskQueue: 'q', hosts: ['a', 'b'] },
      null,
    ],
    [
      'the same location causes no warning',
      { records: own, taskQueue: 'other', hosts: ['a', 'b'] },
      null,
    ],
    [
      'a folder of one of several hosts causes a warning',
      { records: folder, taskQueue: 'q', hosts: ['a', 'b'] },
      /"catalog" keeps its records in \/data\/folder: this folder is on one host, and workers run on a and b/,
    ],
    [
      'a bucket that only workers of another task queue read causes a warning',
      { records: bucket, taskQueue: 'other', hosts: ['a'] },
      /"catalog" keeps its records in s3:\/\/records: its runs use the task queue other/,
    ],
  ])('another pipeline with records in %s', (_what, { hosts, ...place }, expected) => {
    const makers = [{ pipeline: 'catalog', ...place }];
    const warned = (more = '') =>
      findProducerWarnings([eventFile(more)], makers, { taskQueue: 'q', hosts });
    if (expected === null) expect(warned()).toEqual([]);
    else expect(warned()).toEqual([expect.stringMatching(expected)]);
    expect(warned(', own: true')).toEqual([]);
  });
});
