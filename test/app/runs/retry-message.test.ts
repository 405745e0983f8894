// The note about a retried activity contains the message of its last failure.
import { Client } from '@temporalio/client';
import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import { expect, it } from 'vitest';
import { findRetryMessage } from '../../../src/app/runs/fresh-progress.ts';
import type { RunProgress } from '../../../src/plan/contract/contract.ts';

/** A client whose workflows have pending activities with these last failures. */
function clientOf(failures: Record<string, string>, requests?: Record<string, number>): Client {
  const client = new Client();
  const getHandle = (id: string) => ({
    async describe() {
      const message = failures[id];
      if (message === undefined) throw new Error('no such workflow');
      const payloads = requests ? toPayloads(defaultPayloadConverter, { requests }) : undefined;
      const applicationFailureInfo = { details: { payloads } };
      const lastFailure = { message, applicationFailureInfo };
      const pendingActivities = message === '' ? [] : [{ attempt: 4, lastFailure }];
      return { raw: { pendingActivities } };
    },
  });
  return Object.assign(Object.create(client), {
    options: client.options,
    workflow: { getHandle },
    withDeadline: (_deadline: number, call: () => unknown) => call(),
  });
}

const progress = { openShards: [{ shard: 0 }, { shard: 1 }] } as RunProgress;

it.each([
  ['nothing fails', { r: '', 'r/0': '' }, null],
  [
    'the run itself retries an activity',
    { r: 'cannot read S3 bucket b: SlowDown' },
    'an activity fails and is retried (3 attempts so far): cannot read S3 bucket b: SlowDown',
  ],
])('the note describes what is retried, if anything: %s', async (_, failures, said) => {
  expect(await findRetryMessage(clientOf(failures), progress, 'r')).toBe(said);
});

it('the note contains the requests that its run does not count yet', async () => {
  const client = clientOf({ r: 'createJob: 500' }, { createJob: 4, checkModelStatus: 3 });
  expect(await findRetryMessage(client, progress, 'r')).toBe(
    'an activity fails and is retried (3 attempts so far, 7 requests not counted yet): createJob: 500',
  );
});

it('the note contains the failure of a shard', async () => {
  const { workflowIds } = await import('../../../src/plan/contract/contract.ts');
  const client = clientOf({ r: '', [workflowIds.shard('r', 1)]: 'the store does not answer' });
  expect(await findRetryMessage(client, progress, 'r')).toContain('the store does not answer');
});
