// Formats what a run withdraws.
import type { WithdrawalReport } from '../../app/plan/withdrawal-preview.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { archiveFolder } from '../../plan/withdrawal.ts';

/** For example `withdraws 3 files of 1 withdrawn model go to archive/`. */
export function formatWithdrawal(report: WithdrawalReport, unit: string): string[] {
  const { assets, archived, deleted } = report;
  if (assets === 0) return [];
  const of = `of ${formatCount(assets, `withdrawn ${unit}`)}`;
  const go = (files: number, where: string) =>
    `withdraws ${formatCount(files, 'file')} ${of} ${files === 1 ? 'goes' : 'go'} ${where}`;
  return [
    ...(archived > 0 ? [go(archived, `to ${archiveFolder}/`)] : []),
    ...(deleted > 0 ? [go(deleted, 'for good')] : []),
    ...(archived + deleted === 0 ? [`withdraws no file ${of}`] : []),
  ];
}
