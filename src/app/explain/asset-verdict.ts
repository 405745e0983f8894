// Explains in words why the next run processes or skips an asset.
import type { FoundRow } from '../../engine/rows/open-rows.ts';
import { explainFailure } from '../../features/failures.ts';
import { formatFix } from '../../plan/helpers/format-fix.ts';
import { locationOf } from '../../plan/run/location.ts';
import { agedStartPointPhrases, startPointPhrases } from '../../plan/run/start-points.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { Claim } from '../../store/claims/claims.ts';
import type { KeyVerdict, SourceVerdict } from '../../store/discovery/key-verdict.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import { type ConditionResult, formatPropertyCondition } from './property-conditions.ts';

export interface KeyExplanation extends KeyVerdict {
  /** Record of the last delivery. Null if there is none. */
  record: AssetRecord | null;
  claim: Claim | null;
  rows: readonly FoundRow[];
  /** True if the claiming run is open. Null if no run claims the asset for work, or if Temporal cannot say. */
  isWorking: boolean | null;
  /** Conditions on properties of the asset's model. Empty if there are none, or if they were not evaluated. */
  conditions: readonly ConditionResult[];
  recipe: string;
  records: ConnectorSpec;
}

const verdictsThatRun: ReadonlySet<SourceVerdict> = new Set([
  'new',
  'retry',
  'changed',
  'recipe',
  'redeliver',
  'age',
]);

/** True if the next run processes an asset with this verdict, provided that no other run works on the asset. */
export function isAssetTaken({ verdict }: Pick<KeyVerdict, 'verdict'>): boolean {
  return verdictsThatRun.has(verdict);
}

/** True if the next run processes the asset, and no other run works on it now. */
export function isProcessedNext(explanation: KeyExplanation): boolean {
  return isAssetTaken(explanation) && explanation.isWorking !== true;
}

/** Where the work on a moved asset starts. At the least, it is delivered again, because the names change. */
const startAfterMove = {
  ...startPointPhrases,
  delivery: 'with the delivery, and nothing is rendered',
};

/** Formats the verdict on the asset, with the conditions on its model, in a few sentences. */
export function formatReason(explanation: KeyExplanation): string {
  const conditions = explanation.conditions.map(formatPropertyCondition);
  return [formatVerdict(explanation), ...conditions].join(' ');
}

function formatVerdict(explanation: KeyExplanation): string {
  const { verdict, source, startStage, movedFrom, movedTo, record, claim, isWorking, refusal } =
    explanation;
  if (isWorking === true && isAssetTaken(explanation)) {
    return `The run ${claim?.run} is processing it, so no other run processes it.`;
  }
  switch (verdict) {
    case 'new':
      return 'The asset has never been delivered.';
    case 'retry':
      if (claim?.state === 'skipped')
        return 'A run has skipped the asset because of a condition (`when`), which each run checks again; results of that run are reused where possible.';
      return 'The asset has never been delivered, but a run has tried to deliver it; results of that run are reused where possible.';
    case 'changed':
      return record && source && record.source.path !== source.path
        ? 'Another file was delivered under this key.'
        : 'The file has changed since it was delivered.';
    case 'recipe':
      if (movedFrom !== null) {
        return `It was moved from ${movedFrom}, and earlier results are reused: it starts ${startAfterMove[startStage ?? 'source']}.`;
      }
      return `The file has not changed, but the pipeline has: it starts ${startPointPhrases[startStage ?? 'source']}.`;
    case 'redeliver':
      return 'Nothing has changed, but delivered files are missing or different at the destination.';
    case 'age':
      return `Nothing has changed, but a result is older than \`redo\` allows: it starts ${agedStartPointPhrases[startStage ?? 'source']}.`;
    case 'force':
    case 'unchanged':
      return 'Neither the file nor the pipeline has changed since the delivery.';
    case 'touched':
      return 'Only the modification time of the file has changed, not its content; a run only records the new time.';
    case 'later':
      return 'The file changed recently and may still be written. A run processes the file once it has stopped changing.';
    case 'refused':
      return refusal ? formatFailure(refusal) : '';
    case 'absent':
      if (movedTo !== null) {
        return `It was moved to ${movedTo}, where its earlier results are reused.`;
      }
      return record === null && claim === null
        ? `The source has no asset with this key, and ${locationOf(explanation.records)} has no record of it.`
        : 'The source no longer has an asset with this key: it was deleted, or is not selected.';
  }
}

/** Formats a failure, for example `RENDER_FAILED at shots: message`, with the fix on further lines. */
export function formatFailure(failure: { code: string; node?: string; message: string }): string {
  const { code, node, message, fix } = explainFailure(failure);
  const location = node ? ` at ${node}` : '';
  return [`${code}${location}: ${message}`, ...formatFix(fix, '')].join('\n    ');
}
