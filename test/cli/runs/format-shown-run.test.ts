// How `show` lists the assets and the notices of a run.
import { describe, expect, test } from 'vitest';
import type { Paint } from '../../../src/cli/color.ts';
import { formatAssets, formatNotices } from '../../../src/cli/commands/runs/show.ts';
import type { NoticeDelivery } from '../../../src/features/notices/platform-ids.ts';
import { type RunNotice, RunNotices } from '../../../src/features/notices/run-notices.ts';
import type { FinalizedAsset } from '../../../src/plan/contract/contract.ts';
import type { PlatformIds } from '../../../src/plan/platform-ids.ts';

const plain: Paint = (_format, text) => text;
const at = (minute: number) => `2026-01-02T03:0${minute}:00.000Z`;
const delivery = (id: string, more: Partial<NoticeDelivery> = {}): NoticeDelivery => {
  return { id, status: 200, attempts: 1, at: at(4), about: 'abc', ...more };
};

function collectNotices(assets: readonly { platformIds: PlatformIds }[]): RunNotice[] {
  const notices = new RunNotices();
  for (const { platformIds } of assets) notices.add(platformIds);
  return notices.sorted();
}

const told = (notices: Record<string, NoticeDelivery>) => ({ platformIds: { notices } });

test('show --all lists the assets of a run of any size', async () => {
  // The list reads only these fields of an asset.
  const asset = { key: 'shoe', outcome: 'complete', files: [], failure: null, platformIds: {} };
  const assets = Array.from({ length: 200_000 }, () => asset as unknown as FinalizedAsset);
  const lines = await formatAssets(assets, Infinity, plain);
  expect([lines.length, lines[0]]).toEqual([200_000, '  shoe  complete   0 files']);
});

describe('notices of a run', () => {
  test('notices of a run are combined from their assets, in the order of their delivery', () => {
    const late = delivery('rl-2', { status: 503, attempts: 9, at: at(9) });
    const notices = collectNotices([
      told({ tell: late }),
      told({ tell: delivery('rl-1'), say: delivery('rl-3', { at: at(5) }) }),
      told({ tell: delivery('rl-1') }),
      { platformIds: {} },
    ]);
    expect(notices).toEqual([
      { id: 'rl-1', node: 'tell', status: 200, attempts: 1, at: at(4), delivered: true, assets: 2 },
      { id: 'rl-3', node: 'say', status: 200, attempts: 1, at: at(5), delivered: true, assets: 1 },
      {
        id: 'rl-2',
        node: 'tell',
        status: 503,
        attempts: 9,
        at: at(9),
        delivered: false,
        assets: 1,
      },
    ]);
  });

  test('notices that were not delivered are listed first, and long lists are truncated', () => {
    const many = Array.from({ length: 20 }, (_, index) => told({ tell: delivery(`rl-${index}`) }));
    const away = told({ tell: delivery('rl-away', { status: null, at: at(9) }) });
    const lines = formatNotices(collectNotices([...many, away]), plain);
    expect(lines.slice(0, 4)).toEqual([
      '',
      'Notices:',
      `  tell  not delivered, no response at attempt 1  ${at(9)}  1 asset  rl-away`,
      `  tell  delivered, status 200 at attempt 1  ${at(4)}  1 asset  rl-0`,
    ]);
    expect(lines.at(-1)).toBe('  and 9 more: --json');
  });

  test('notices of a run are not mentioned if there are none', () => {
    expect(formatNotices(collectNotices([{ platformIds: {} }]), plain)).toEqual([]);
  });
});
