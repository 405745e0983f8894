// A minimal workflow that needs skipped time.
import { sleep } from '@temporalio/workflow';

export async function sleepOneHour(): Promise<string> {
  await sleep('1 hour');
  return 'woke';
}
