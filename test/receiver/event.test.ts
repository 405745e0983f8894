// Tests the parsing of the body of a verified notification: a documented event and its ids.
import { describe, expect, test } from 'vitest';
import { parseEvent, toWakeUp } from '../../src/receiver/event.ts';

const at = '2026-01-02T03:04:05.678Z';
const read = (value: unknown) => parseEvent(Buffer.from(JSON.stringify(value)));

describe('parseEvent', () => {
  test.each([
    [
      'model.processed',
      { event: 'model.processed', timestamp: at, data: { modelId: 'm1', status: 'READY' } },
      { name: 'model.processed', at, modelId: 'm1' },
    ],
    [
      'render.complete',
      {
        event: 'render.complete',
        timestamp: at,
        data: { jobId: 'j', projectId: 'p', renderIds: [] },
      },
      { name: 'render.complete', at, jobId: 'j', projectId: 'p' },
    ],
    [
      'outputs',
      { event: 'render.complete', timestamp: at, data: { jobId: 'j', renderIds: ['a', 'b'] } },
      { name: 'render.complete', at, jobId: 'j', renderIds: ['a', 'b'] },
    ],
    [
      'too many outputs, which are left to a sweep',
      {
        event: 'render.complete',
        timestamp: at,
        data: { jobId: 'j', renderIds: Array.from({ length: 101 }, String) },
      },
      { name: 'render.complete', at, jobId: 'j' },
    ],
    [
      'outputs that are not ids',
      { event: 'render.complete', timestamp: at, data: { jobId: 'j', renderIds: ['a', 1] } },
      { name: 'render.complete', at, jobId: 'j' },
    ],
    [
      'an undocumented payload',
      { event: 'project.created', timestamp: at },
      { name: 'project.created', at },
    ],
    [
      'ids that are not text',
      { event: 'model.failed', data: { modelId: 7 } },
      { name: 'model.failed', at: '' },
    ],
    [
      'a very long id',
      { event: 'model.failed', data: { modelId: 'x'.repeat(300) } },
      { name: 'model.failed', at: '' },
    ],
    ['an unknown event', { event: 'model.exploded', data: {} }, 'unknown'],
    ['no event', { data: {} }, null],
    ['a list', [], null],
  ])('parseEvent handles a body with %s', (_what, body, expected) => {
    expect(read(body)).toEqual(expected);
  });

  test.each([
    ['bytes that are not JSON', Buffer.from('{')],
    ['an empty body', Buffer.alloc(0)],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('parseEvent returns null for %s', (_what, bytes) => {
    expect(parseEvent(bytes)).toBeNull();
  });
});

describe('wakeUpOf', () => {
  test.each([
    ['model.processed', { modelId: 'm' }, 'model/m'],
    ['model.failed', { modelId: 'm' }, 'model/m'],
    ['render.complete', { jobId: 'j' }, 'render/j'],
    ['render.failed', { jobId: 'j' }, 'render/j'],
    ['render.failed', {}, null],
    ['project.created', { projectId: 'p' }, null],
    ['job.complete', { jobId: 'j' }, null],
  ] as const)('the wake-up for %s with %o is %s', (name, ids, hint) => {
    expect(toWakeUp({ name, at, ...ids })).toBe(hint);
  });
});
