// Before it starts, a worker checks that it can decrypt the open runs of its task queue.

import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';
import { isUnreadableError } from '../codec/codec-errors.ts';
import { openAtQueue } from './open-workflows.ts';

const maxRunsRead = 20;

/** Decrypts the memos of the newest open runs. @throws CodecKeyMissingError, CodecKeyWrongError if that fails */
export async function assertRunsReadable(client: Client, taskQueue: string): Promise<void> {
  const query = openAtQueue(workflowNames.run, taskQueue);
  try {
    await callWithTimeout(client, responseTimeoutMs.short, async () => {
      let readCount = 0;
      // Listing decodes the memo of each run, which throws if a key is missing.
      for await (const _run of client.workflow.list({ query, pageSize: maxRunsRead })) {
        readCount += 1;
        if (readCount === maxRunsRead) break;
      }
    });
  } catch (error) {
    if (isUnreadableError(error)) throw error;
    // A worker also starts if the server cannot list runs at the moment.
  }
}
