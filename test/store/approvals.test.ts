// Decisions of people about assets, as workers read them.
import { expect, it, vi } from 'vitest';
import { JsonObjects } from '../../src/store/objects/json-objects.ts';
import { Approvals } from '../../src/store/runs/pictures/approvals.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';

it('a decision that is listed before it can be read is found later', async () => {
  const objects = new JsonObjects(new MemoryConnector(), 'records');
  const approvals = new Approvals(objects, 'run');
  const page = {
    shard: 0,
    node: 'check',
    approved: ['mug'],
    rejected: [],
    by: 'Ann',
    at: '2026-01-01T00:00:00Z',
  };
  await approvals.decide(page);
  const read = vi.spyOn(objects, 'read').mockResolvedValueOnce(null);
  expect(await approvals.decisions('check')).toEqual(new Map());
  expect(await approvals.decisions('check')).toEqual(
    new Map([['mug', expect.objectContaining({ outcome: 'approved' })]]),
  );
  expect(read).toHaveBeenCalledTimes(2);
});
