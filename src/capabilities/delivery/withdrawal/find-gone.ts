// Finds the assets that a run withdraws: delivered assets whose source was deleted, unless their export keeps the files.
import type { Connector } from '../../../connectors/connector.ts';
import { runFailures } from '../../../failures/runs.ts';
import { hashOf } from '../../../language/hash.ts';
import { count } from '../../../plan/count.ts';
import type { Plan } from '../../../plan/types.ts';
import { mostWithdrawn, type WithdrawalRules } from '../../../plan/withdrawal.ts';
import {
  deliveredOf,
  type FindGone,
  type GoneRecord,
  goneRecords,
  isComplete,
  type SourcePlace,
} from '../../../store/discovery/gone.ts';
import { withdrawalOf } from '../../../store/records/withdrawn.ts';
import { ruledFiles } from './file-moves.ts';

interface Finding {
  node: string;
  rules: WithdrawalRules;
  place: SourcePlace;
  /** A person requested all withdrawals, even if the source is empty or there are many. */
  all: boolean;
}

/** Withdraws nothing if the listing may be incomplete. */
export function goneFinder({ node, rules, place, all }: Finding): FindGone {
  return async (store, listing, signal) => {
    const isEmptied = listing.total === 0 && !all;
    if (isEmptied || !isComplete(listing)) return { records: [], warnings: [] };
    const known = await store.recipes.known();
    const gone = await goneRecords(listing, place, store, signal);
    const isRuled = ({ record }: GoneRecord) =>
      ruledFiles(record, rules, known).some(({ rule }) => rule !== null);
    const begun = gone.filter(({ entry }) => withdrawalOf(entry) === 'leaving');
    const fresh = gone.filter((one) => !begun.includes(one) && isRuled(one));
    const delivered = deliveredOf(listing.index);
    const most = mostWithdrawn(rules, delivered);
    if (all || fresh.length <= most) return { records: [...begun, ...fresh], warnings: [] };
    const { code } = limited;
    const message = `${code}: ${count(fresh.length, 'asset')} of ${delivered} on record are missing from the source, but only ${most} may be withdrawn, so none was. ${limited.fix}`;
    return { records: begun, warnings: [{ key: node, message }] };
  };
}

const limited = runFailures.TOO_MANY_WITHDRAWN;

/** Hash of the location of the sources. With other parameters a pipeline may list other folders or tables. */
export function placeMark(
  { connectors, discovery }: Pick<Plan, 'connectors' | 'discovery'>,
  connector: string,
): string {
  const { colorways } = discovery;
  const table =
    colorways?.from === 'table'
      ? [connectors[colorways.connector] ?? null, colorways.path, colorways.tags ?? null]
      : null;
  return hashOf([connectors[connector] ?? null, table]).slice(0, 16);
}

/** The location of a plan's sources. */
export function sourcePlace(
  plan: Pick<Plan, 'connectors' | 'discovery'>,
  name: string,
  connector: Connector,
): SourcePlace {
  const { colorways, views } = plan.discovery;
  const hasGrid = colorways !== undefined || views !== undefined;
  return { connector, mark: placeMark(plan, name), hasGrid };
}
