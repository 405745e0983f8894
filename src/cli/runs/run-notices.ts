// Collects the webhook notices that `notify` nodes sent, from the results of their assets.
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Paint } from '../color.ts';

export interface RunNotice {
  /** The `webhook-id` header of the notice. */
  id: string;
  node: string;
  /** HTTP status of the last response; null if there was none. */
  status: number | null;
  attempts: number;
  at: string;
  delivered: boolean;
  assets: number;
}

const noticesShown = 12;

/** Returns each notice once, ordered by its last attempt. */
export function collectNotices(
  settled: readonly Pick<FinalizedAsset, 'platformIds'>[],
): RunNotice[] {
  const notices = new Map<string, RunNotice>();
  for (const { platformIds } of settled) {
    for (const [node, { about: _about, ...delivery }] of Object.entries(
      platformIds.notices ?? {},
    )) {
      const { id, status } = delivery;
      const delivered = status !== null && status < 300;
      const known = notices.get(id) ?? { ...delivery, node, delivered, assets: 0 };
      known.assets += 1;
      notices.set(id, known);
    }
  }
  return [...notices.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** Formats the notices, undelivered ones first. */
export function formatNotices(notices: readonly RunNotice[], paint: Paint): string[] {
  if (notices.length === 0) return [];
  const sorted = notices.toSorted((a, b) => Number(a.delivered) - Number(b.delivered));
  const shown = sorted.slice(0, noticesShown);
  const lines = shown.map(({ node, status, attempts, at, delivered, assets, id }) => {
    const answer = status === null ? 'no response' : `status ${status}`;
    const end = delivered ? 'delivered' : paint('red', 'not delivered');
    return `  ${node}  ${end}, ${answer} at attempt ${attempts}  ${at}  ${formatCount(assets, 'asset')}  ${paint('dim', id)}`;
  });
  const rest = sorted.length - shown.length;
  return ['', 'Notices:', ...lines, ...(rest > 0 ? [`  and ${rest} more: --json`] : [])];
}
