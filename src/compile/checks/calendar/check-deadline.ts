// Checks the deadline of runs, and that pipelines with notices about late runs have one.

import { formatDuration, parseDurationMs } from '../../../language/duration.ts';
import { notifyOutcomes, type Pipeline } from '../../pipeline.ts';
import { checkTimeZone } from '../../schedule/check-time-zone.ts';
import type { LocatedDocument } from '../../yaml/document.ts';
import type { Findings } from '../../yaml/findings.ts';

const minMs = 60_000;

export function checkDeadline(
  { deadline, notify }: Pick<Pipeline, 'deadline' | 'notify'>,
  document: LocatedDocument,
  findings: Findings,
): void {
  for (const [index, { on }] of notify.entries()) {
    const isForAll = on.length === notifyOutcomes.length;
    if (deadline !== undefined || isForAll || !on.includes('late')) continue;
    const message = 'no run is ever late: the file has no `deadline`';
    const hint = 'Add `deadline: { within: 4h }`, or remove `late`.';
    findings.warning('RL422', document.valueRange(['notify', index, 'on']), message, hint);
  }
  if (deadline === undefined) return;
  const { within, timezone } = deadline;
  const withinMs = parseDurationMs(within ?? '');
  if (withinMs !== null && withinMs < minMs) {
    const message = `a deadline is at least ${formatDuration(minMs)} after the start of a run`;
    findings.error('RL204', document.valueRange(['deadline', 'within']), message);
  }
  if (timezone !== undefined) {
    checkTimeZone(timezone, ['deadline', 'timezone'], { document, findings });
  }
}
