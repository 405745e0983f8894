import { formatCount } from '../../plan/helpers/format-count.ts';
import { archiveFolder } from '../../plan/withdrawal.ts';
import type { WithdrawalReport } from './withdrawal-preview.ts';

/** Formats lines such as `3 files of 1 withdrawn model go to archive/`. Returns none if no asset is withdrawn. */
export function formatWithdrawal(report: WithdrawalReport, unit: string): string[] {
  const { assets, archived, deleted } = report;
  if (assets === 0) return [];
  const ofAssets = `of ${formatCount(assets, `withdrawn ${unit}`)}`;
  const format = (files: number, singular: string, plural: string) =>
    `${formatCount(files, 'file')} ${ofAssets} ${files === 1 ? singular : plural}`;
  return [
    ...(archived > 0 ? [`${format(archived, 'goes', 'go')} to ${archiveFolder}/`] : []),
    ...(deleted > 0 ? [format(deleted, 'is deleted', 'are deleted')] : []),
    ...(archived + deleted === 0 ? [`no file ${ofAssets}`] : []),
  ];
}

/** @param files number of changed files whose previous models and projects are deleted */
export function formatDeletes(files: number): string {
  return `earlier versions of ${formatCount(files, 'changed file')} on the platform, once the new ones are complete`;
}
