import { formatCount } from '../helpers/format-count.ts';

export const paidKinds = ['renders', 'models', 'captures'] as const;
export type PaidKind = (typeof paidKinds)[number];
export type PaidCounts = Record<PaidKind, number>;

/** Work that the platform accepted from this run. Excludes work that an earlier run had started. */
export interface PaidWork extends PaidCounts {
  /** Renders among `renders` that failed or were cancelled. The platform does not say whether it bills them. */
  failedRenders: number;
  /** Possible duplicates: work that may have been done twice, because the response to a call was lost. */
  possibleDuplicates: PaidCounts;
}

export function createPaidCounts(): PaidCounts {
  return { renders: 0, models: 0, captures: 0 };
}

/** Returns the paid work of several runs, without runs whose work is unknown. */
export function sumPaid(paidWorks: readonly (PaidWork | null)[]): PaidWork {
  const sum: PaidWork = {
    ...createPaidCounts(),
    failedRenders: 0,
    possibleDuplicates: createPaidCounts(),
  };
  for (const paid of paidWorks) {
    if (paid === null) continue;
    for (const kind of paidKinds) {
      sum[kind] += paid[kind];
      sum.possibleDuplicates[kind] += paid.possibleDuplicates[kind];
    }
    sum.failedRenders += paid.failedRenders;
  }
  return sum;
}

/** Formats `8 renders, 8 models, possibly 1 more render`, or for null a note that the work is unknown. */
export function formatPaid(paid: PaidWork | null): string {
  if (paid === null) return 'unknown: this machine cannot read the records of the run';
  const { failedRenders } = paid;
  const startedWork = paidKinds.flatMap((kind) =>
    paid[kind] > 0 ? [formatCount(paid[kind], nouns[kind])] : [],
  );
  const possibleWork = paidKinds.flatMap((kind) =>
    paid.possibleDuplicates[kind] > 0
      ? [`possibly ${formatCount(paid.possibleDuplicates[kind], `more ${nouns[kind]}`)}`]
      : [],
  );
  const [was, they, are] = failedRenders === 1 ? ['was', 'it', 'is'] : ['were', 'they', 'are'];
  const failureNote =
    failedRenders > 0
      ? `; ${formatCount(failedRenders, 'render')} failed or ${was} cancelled, and the platform does not say whether ${they} ${are} billed`
      : '';
  const certainWork = startedWork.length === 0 ? ['nothing'] : startedWork;
  return `${[...certainWork, ...possibleWork].join(', ')}${failureNote}`;
}

const nouns: Readonly<Record<PaidKind, string>> = {
  renders: 'render',
  models: 'model',
  captures: 'capture',
};
