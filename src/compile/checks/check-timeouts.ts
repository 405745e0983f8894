// Checks the timeout of each node against the minimum and the maximum of its type, and the approval timeout of the canary.

import { durationMs, formatDuration, parseDurationMs } from '../../language/duration.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { Pipeline } from '../pipeline.ts';
import type { LocatedDocument } from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';
import { maxTimeoutMs } from './check-annotations.ts';

const minMs = 1000;

export function checkTimeouts(
  drafts: readonly NodeDraft[],
  document: LocatedDocument,
  findings: Findings,
): void {
  for (const { path, type, timeoutMs } of drafts) {
    // A duration above the general maximum is reported with the other durations.
    if (timeoutMs === null || timeoutMs > maxTimeoutMs) continue;
    const range = document.valueRange([...path, 'timeout']);
    if (timeoutMs < minMs) {
      findings.error('RL204', range, `a timeout is at least ${formatDuration(minMs)}`);
    } else if (type?.maxTimeout !== undefined && timeoutMs > durationMs(type.maxTimeout)) {
      const max = `at most ${type.maxTimeout}`;
      const message = `a timeout of ${type.type} is ${max}, not ${formatDuration(timeoutMs)}`;
      const hint = 'Submitted work can be queried only within that time.';
      findings.error('RL205', range, message, hint);
    }
  }
}

export function checkApprovalTime(
  { canary }: Pick<Pipeline, 'canary'>,
  document: LocatedDocument,
  findings: Findings,
): void {
  const ms = parseDurationMs(canary?.timeout ?? '');
  if (ms === null || ms >= minMs) return;
  const message = `a run waits at least ${formatDuration(minMs)} for approval`;
  findings.error('RL204', document.valueRange(['canary', 'timeout']), message);
}
