// Formats sources that were delivered before: under another key, or with missing files.
import type { MovedPlan } from '../../app/plan/moved-report.ts';
import type { RedeliveryCheck } from '../../app/plan/redelivery-check.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { MovedReport } from '../../store/discovery/moves/apply-moves.ts';
import {
  formatCopies,
  formatMoveHint,
  formatMoves,
} from '../../store/discovery/moves/format-moves.ts';

export function formatMoved(plan: MovedPlan | null, unit: string): string[] {
  if (plan === null) return [];
  const { assets, free, first, copies, read, isTaken } = plan;
  const report: MovedReport = { ...plan, moved: first, copies };
  const paid = free === assets ? 'nothing to pay' : `nothing to pay for ${free} of them`;
  const hint = formatMoveHint(report);
  const copied = formatCopies(report);
  const comparison = `${formatCount(read.files, unit)} compared by content: ${formatCount(read.bytes, 'byte')} to be read`;
  return [
    ...(isTaken && assets > 0
      ? [`moved     ${formatCount(assets, unit)}: ${formatMoves(first)}, ${paid}`]
      : []),
    ...(hint === null ? [] : [`moved     ${hint}`]),
    ...(copied === null ? [] : [`copies    ${copied}`]),
    ...(isTaken ? [`          ${comparison}`] : []),
  ];
}

/** Formats the result if files are missing at their destination. */
export function formatRedelivery({
  assets,
  inspected,
  missing,
  askedPlatform,
  lost: gone,
}: RedeliveryCheck): string {
  const some =
    inspected < assets ? `${missing} of the first ${inspected}` : `${missing} of ${assets}`;
  const from =
    gone < askedPlatform || askedPlatform === 0
      ? 'they are downloaded from the platform again'
      : '';
  const lost =
    gone === 0
      ? ''
      : `${gone} of ${askedPlatform} ${gone === 1 ? 'is' : 'are'} not on the platform either and must be rendered again: allow it with \`run --yes\` or with \`limits: { renders }\` in the file`;
  return `${some} have files missing at their destination: ${[from, lost].filter(Boolean).join('; ')}`;
}
