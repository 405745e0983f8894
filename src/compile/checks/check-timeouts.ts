// Checks the timeout of each node against the minimum and the maximum of its type, and the approval timeout of the canary.

import { durationMs, formatDuration, parseDurationMs } from '../../language/duration.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { Pipeline } from '../pipeline.ts';
import type { LocatedDocument } from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';
import { longestTimeoutMs } from './check-marks.ts';

const leastMs = 1000;

export function checkTimeouts(
  drafts: readonly NodeDraft[],
  document: LocatedDocument,
  findings: Findings,
): void {
  for (const { path, type, timeoutMs } of drafts) {
    // A duration above the general maximum is reported with the other durations.
    if (timeoutMs === null || timeoutMs > longestTimeoutMs) continue;
    const place = document.valueAt([...path, 'timeout']);
    if (timeoutMs < leastMs) {
      findings.error('RL204', place, `a timeout is at least ${formatDuration(leastMs)}`);
    } else if (type?.longestTimeout !== undefined && timeoutMs > durationMs(type.longestTimeout)) {
      const most = `at most ${type.longestTimeout}`;
      const message = `a timeout of ${type.type} is ${most}, not ${formatDuration(timeoutMs)}`;
      const hint = 'Submitted work can be queried only within that time.';
      findings.error('RL205', place, message, hint);
    }
  }
}

export function checkApprovalTime(
  { canary }: Pick<Pipeline, 'canary'>,
  document: LocatedDocument,
  findings: Findings,
): void {
  const ms = parseDurationMs(canary?.timeout ?? '');
  if (ms === null || ms >= leastMs) return;
  const message = `a run waits at least ${formatDuration(leastMs)} for approval`;
  findings.error('RL204', document.valueAt(['canary', 'timeout']), message);
}
