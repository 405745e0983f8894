// Checks durations in a file against their limits, and that pipelines with notices about late runs have a deadline.
import { formatDuration, parseDurationMs, toDurationMs } from '../../language/duration.ts';
import { findFreshnessStage } from '../freshness.ts';
import type { NodeDraft } from '../node-draft.ts';
import { notifyOutcomes, type Pipeline } from '../pipeline.ts';
import { checkTimeZone } from '../schedule/check-time-zone.ts';
import type { LocatedDocument } from '../yaml/document.ts';
import { maxTimeoutMs } from './check-annotations.ts';
import type { GraphScope } from './check-graph.ts';

const minTimeoutMs = 1000;
/** Minimum age. With a shorter one, every run would create everything again. */
const minAgeMs = 60_000;
const minDeadlineMs = 60_000;

/** Checks timeouts. Refuses `redo` on nodes that create nothing, because it would have no effect there. */
export function checkNodeDurations({ drafts, document }: GraphScope): void {
  for (const node of drafts) {
    checkTimeout(node, document);
    checkAge(node, document);
  }
}

function checkTimeout({ path, type, timeoutMs }: NodeDraft, document: LocatedDocument): void {
  // A duration above the general maximum is skipped, because it is reported with the other durations.
  if (timeoutMs === null || timeoutMs > maxTimeoutMs) return;
  const timeoutPath = [...path, 'timeout'];
  if (timeoutMs < minTimeoutMs) {
    const message = `a timeout must be at least ${formatDuration(minTimeoutMs)}`;
    document.error('RL204', timeoutPath, message);
  } else if (type?.maxTimeout !== undefined && timeoutMs > toDurationMs(type.maxTimeout)) {
    const max = `at most ${type.maxTimeout}`;
    const message = `a timeout of ${type.type} must be ${max}, not ${formatDuration(timeoutMs)}`;
    const hint = 'Shorten the timeout: submitted work can be queried only within that time.';
    document.error('RL205', timeoutPath, message, hint);
  }
}

function checkAge(node: NodeDraft, document: LocatedDocument): void {
  const { path, id, type, olderThanMs } = node;
  if (olderThanMs === null || type === null) return;
  if (findFreshnessStage(node) === null) {
    const message = `"${id}" creates nothing that could be too old`;
    const hint = 'Move `redo` to the template, the render or the export.';
    document.errorAtKey('RL419', [...path, 'redo'], message, hint);
  } else if (olderThanMs < minAgeMs) {
    const message = `an age must be at least ${formatDuration(minAgeMs)}`;
    document.error('RL204', [...path, 'redo', 'olderThan'], message);
  }
}

export function checkApprovalTime(
  { canary }: Pick<Pipeline, 'canary'>,
  document: LocatedDocument,
): void {
  const ms = parseDurationMs(canary?.timeout ?? '');
  if (ms === null || ms >= minTimeoutMs) return;
  const message = `an approval timeout must be at least ${formatDuration(minTimeoutMs)}`;
  document.error('RL204', ['canary', 'timeout'], message);
}

export function checkDeadline(
  { deadline, notify }: Pick<Pipeline, 'deadline' | 'notify'>,
  document: LocatedDocument,
): void {
  for (const [index, { on }] of notify.entries()) {
    const isForAll = on.length === notifyOutcomes.length;
    if (deadline !== undefined || isForAll || !on.includes('late')) continue;
    const message = 'a run can be late only after a `deadline`, and the file has none';
    const hint = 'Add `deadline: { within: 4h }`, or remove `late`.';
    document.warning('RL422', ['notify', index, 'on'], message, hint);
  }
  const { within = '', timezone } = deadline ?? {};
  const withinMs = parseDurationMs(within);
  if (withinMs !== null && withinMs < minDeadlineMs) {
    const message = `a deadline must be at least ${formatDuration(minDeadlineMs)} after the start of a run`;
    document.error('RL204', ['deadline', 'within'], message);
  }
  if (timezone !== undefined) checkTimeZone(timezone, ['deadline', 'timezone'], document);
}
