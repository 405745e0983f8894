// Refuses `redo` at nodes that create nothing, where it would have no effect.
import { formatDuration } from '../../language/duration.ts';
import { freshnessStage } from '../freshness.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { LocatedDocument } from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';

/** Minimum age: with a shorter one, every run would create everything again. */
const minMs = 60_000;

export function checkFreshness(
  drafts: readonly NodeDraft[],
  document: LocatedDocument,
  findings: Findings,
): void {
  for (const node of drafts) {
    const { path, id, type, olderThanMs } = node;
    if (olderThanMs === null || type === null) continue;
    if (freshnessStage(node) === null) {
      const message = `"${id}" creates nothing that could be too old`;
      const hint = 'Put `redo` at the template, the render or the export.';
      findings.error('RL419', document.keyRange([...path, 'redo']), message, hint);
    } else if (olderThanMs < minMs) {
      const range = document.valueRange([...path, 'redo', 'olderThan']);
      findings.error('RL204', range, `an age is at least ${formatDuration(minMs)}`);
    }
  }
}
