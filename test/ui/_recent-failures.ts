// Failures of many runs, and what a rerun of them takes, as input of the pages.
import type { RecentFailures } from '../../src/app/failures/list-recent-failures.ts';
import type { RecentRerunShape } from '../../src/app/rerun/rerun-recent.ts';
import type { ShownRerun } from '../../src/ui/rerun-page.ts';

export const strangeKey = '<i>shoe</i>';
export const recentFailures: RecentFailures = {
  schema: 'renderline/failures-since/v1',
  since: '2026-11-20T20:00:00.000Z',
  pipeline: null,
  where: null,
  runs: [{ run: 'sheets-1', pipeline: 'sheets', failed: 2, repaired: 0, failedAgain: 0 }],
  total: 2,
  rerunCommand: 'renderline rerun --since 7d --failed',
  groups: [
    {
      code: 'TRUNCATED',
      node: 'take',
      count: 2,
      message: strangeKey,
      attempts: 1,
      title: '',
      fix: 'Change `naming`.',
      docs: '',
      keys: [strangeKey, 'boot'],
      pipeline: 'sheets',
      runs: ['sheets-1'],
      rerunCommand: 'renderline rerun --since 7d --failed --pipeline sheets',
    },
  ],
  unreadable: [],
  notRead: 0,
};
const work = {
  groups: [],
  assets: 2,
  changed: 0,
  delivered: 0,
  later: 0,
  refused: [],
  reuse: { models: 0, projects: 0, renders: 0, items: 0 },
};

/** The assets that a rerun of one run takes. */
export const rerunOfSheets: ShownRerun = {
  shape: {
    schema: 'renderline/rerun/v1',
    run: null,
    rerun: { of: 'sheets-1', failed: false, where: null, plan: 'pinned' },
    preview: {
      ...work,
      groups: [
        { outcome: 'failed', code: 'TRUNCATED', node: 'take', count: 1, keys: [strangeKey] },
        { outcome: 'cancelled', code: '', node: '', count: 1, keys: ['boot'] },
      ],
      changed: 1,
      reuse: { models: 1, projects: 0, renders: 1, items: 0 },
    },
    cost: { requests: 9, maxRequests: 9, renders: 2, max: true, seconds: 61 },
  },
  isEmpty: false,
};
export const recentRerun: RecentRerunShape = {
  schema: 'renderline/rerun-since/v1',
  since: recentFailures.since,
  where: null,
  ready: [
    {
      of: 'sheets-1',
      pipeline: 'sheets',
      plan: 'pinned',
      work,
      cost: { requests: 9, maxRequests: 9, renders: 2, max: true, seconds: 1 },
    },
  ],
  refused: [{ of: 'old-1', code: 'PLAN_DIFFERS', message: 'it differs', fix: 'choose' }],
  assets: 2,
  requests: 9,
  maxRequests: 9,
  renders: 2,
  notRead: 0,
  started: null,
};
