// Tells one receiver how a run ended. On its own, so that a receiver that is away for hours keeps no run open.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities, NoticeInput, NoticeResult } from '../src/plan/contract.ts';

const { notify } = proxyActivities<Activities>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '24h',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '15m' },
});

export async function runNotice(input: NoticeInput): Promise<NoticeResult> {
  return notify(input);
}
