// Finds the assets that a run withdraws: delivered assets whose source is gone, unless their export keeps the files.
import type { Connector } from '../../../connectors/connector.ts';
import { runFailures } from '../../../failures/runs.ts';
import { computeShortSha256 } from '../../../language/hash.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import type { Plan } from '../../../plan/types.ts';
import { computeMaxWithdrawn, type WithdrawalRules } from '../../../plan/withdrawal.ts';
import {
  countDelivered,
  type FindMissingSources,
  isListingComplete,
  listMissingSources,
  type MissingSource,
  type SourceLocation,
} from '../../../store/discovery/moves/missing-sources.ts';
import { findWithdrawal } from '../../../store/records/withdrawal-state.ts';
import { gridLocationsOf } from '../../grid/dimensions.ts';
import { findFileRules } from './file-moves.ts';

interface FinderOptions {
  node: string;
  rules: WithdrawalRules;
  location: SourceLocation;
  /** True if a person requested all withdrawals, even if the source is empty or there are many. */
  withdrawAll: boolean;
}

/**
 * Returns a function that finds the assets to withdraw. It finds none if the listing may be incomplete, or if the
 * source is empty and `withdrawAll` is false. Above the limit, it finds only assets whose withdrawal has started.
 */
export function createMissingSourceFinder(options: FinderOptions): FindMissingSources {
  const { node, rules, location, withdrawAll } = options;
  return async (store, listing, signal) => {
    const isEmptied = listing.total === 0 && !withdrawAll;
    if (isEmptied || !isListingComplete(listing)) return { records: [], warnings: [] };
    const knownRecipes = await store.recipes.readKnown();
    const missingSources = await listMissingSources(listing, location, store, signal);
    const isStarted = ({ entry }: MissingSource) => findWithdrawal(entry) === 'leaving';
    const hasWithdrawalRule = ({ record }: MissingSource) =>
      findFileRules(record, rules, knownRecipes).some(({ rule }) => rule !== null);
    const startedWithdrawals = missingSources.filter(isStarted);
    const newWithdrawals = missingSources.filter(
      (missingSource) => !isStarted(missingSource) && hasWithdrawalRule(missingSource),
    );
    const deliveredCount = countDelivered(listing.index);
    const maxMissing = computeMaxWithdrawn(rules, deliveredCount);
    if (withdrawAll || newWithdrawals.length <= maxMissing)
      return { records: [...startedWithdrawals, ...newWithdrawals], warnings: [] };
    const { code, fix } = runFailures.TOO_MANY_WITHDRAWN;
    const message = `${code}: ${formatCount(newWithdrawals.length, 'asset')} of ${deliveredCount} on record are missing from the source, but only ${maxMissing} may be withdrawn, so none was withdrawn. ${fix}`;
    return { records: startedWithdrawals, warnings: [{ key: node, message }] };
  };
}

/**
 * Hashes the location of the sources, because with other parameters a pipeline may list other folders or tables.
 * @param connector connector of the source files. Empty for platform objects
 */
export function hashSourceLocation(
  { connectors, discovery }: Pick<Plan, 'connectors' | 'discovery'>,
  connector: string,
): string {
  const [table = null, ...others] = gridLocationsOf(discovery, connectors);
  const tableLocations = (discovery.rows?.tables ?? [])
    .filter(({ file }) => file !== undefined)
    .map(({ connector: name, path, sheet = null }) => [connectors[name] ?? null, path, sheet]);
  const parts = [connectors[connector] ?? null, table, ...others, ...tableLocations];
  return computeShortSha256(parts).slice(0, 16);
}

export function createSourceLocation(
  plan: Pick<Plan, 'connectors' | 'discovery'>,
  name: string,
  connector: Connector,
): SourceLocation {
  const hasGrid = plan.discovery.grid !== undefined;
  return { connector, mark: hashSourceLocation(plan, name), hasGrid };
}
