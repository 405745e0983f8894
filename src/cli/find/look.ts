// Searches record locations for an id of the platform, and reads the status of the matching assets.
import { openRunStore } from '../../capabilities/run-store.ts';
import { openConnector } from '../../connectors/index.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import { count } from '../../plan/count.ts';
import { placeOf } from '../../plan/place.ts';
import type { Failure } from '../../plan/types.ts';
import type { Claim } from '../../store/claims/claims.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import { type RunStore } from '../../store/runs/run-store.ts';
import { type KeyStanding, Standings } from '../../store/runs/standings.ts';
import { type FoundAsset, findId } from '../../store/search/find-id.ts';
import { isIdOf } from '../../store/search/id-spelling.ts';
import { seenAtAsset } from '../../store/search/platform-ids.ts';
import { type Explanation, explainError } from '../exit.ts';
import { nowAndThen } from '../now-and-then.ts';
import type { Session } from '../session.ts';
import type { PipelineRecords } from './places.ts';

export interface HeldAsset {
  key: string;
  kind: string;
  came: FoundAsset['came'];
  /** Node that created or used the id; null if not recorded. */
  node: string | null;
  step: string | null;
  operation: string | null;
  shard: number;
  /** Outcome in this run; null while the asset is in progress. */
  outcome: string | null;
  failure: Pick<Failure, 'node' | 'code' | 'message'> | null;
  /** Last delivery under the key; `replaced`: the delivery used another resource than this run did. */
  record: {
    run: string;
    finishedAt: string;
    files: number;
    /** Key of the source before it was moved; null if it was not moved. */
    movedFrom: string | null;
    replaced: boolean;
  } | null;
  /** The run that is processing the asset, or gave up on it. */
  claim: Pick<Claim, 'run' | 'state'> | null;
}

export interface HeldRun {
  run: string;
  pipeline: string;
  /** Number of assets with the id; `assets` contains only the first ones. */
  count: number;
  assets: HeldAsset[];
}

/** Result for one location, with the amount of searched data. */
export interface Looked {
  pipeline: string;
  records: string | null;
  runs: number;
  objects: number;
  /** Number of truncated objects. */
  damaged: number;
  /** Why the location could not be read; null if it was read. */
  problem: string | null;
}

export async function lookIn(
  session: Session,
  { pipeline, records }: PipelineRecords,
  id: string,
  isOpen: (run: string) => boolean,
): Promise<{ found: HeldRun[]; looked: Looked; error: Explanation | null }> {
  const place = placeOf(records);
  const looked: Looked = {
    pipeline,
    records: place,
    runs: 0,
    objects: 0,
    damaged: 0,
    problem: null,
  };
  try {
    const connector = openConnector(records);
    const { found, ...searched } = await findId({
      connector,
      pipeline,
      id,
      isOpen,
      signal: session.io.interrupts.forced,
      onProgress: nowAndThen(
        session,
        (read) => `${pipeline} in ${place}: ${count(read, 'object')} searched`,
      ),
    });
    const context = { run: 'find', lineage: 'find', pipeline, recipe: '' };
    const held = await withStandings(found, openRunStore(connector, context), id);
    const runs = held.map((one) => ({ ...one, pipeline }));
    return { found: runs, looked: { ...looked, ...searched }, error: null };
  } catch (thrown) {
    // One unreadable location must not hide the results of the others.
    const error = explainError(thrown);
    return { found: [], looked: { ...looked, problem: error.message }, error };
  }
}

async function withStandings(
  found: readonly { run: string; count: number; assets: readonly FoundAsset[] }[],
  store: RunStore,
  id: string,
): Promise<Omit<HeldRun, 'pipeline'>[]> {
  const standings = new Standings(store);
  const isWanted = isIdOf(id);
  const holds = (asset: AssetRecord | SettledAsset) => seenAtAsset(asset, isWanted) !== null;
  const held: Omit<HeldRun, 'pipeline'>[] = [];
  for (const { assets, ...of } of found) {
    const told = await mapBounded(assets, async (asset) =>
      heldAsset(asset, await standings.of(asset.key, asset.settled?.source.version ?? null), holds),
    );
    held.push({ ...of, assets: told });
  }
  return held;
}

function heldAsset(
  { key, kind, came, step, operation, shard, settled }: FoundAsset,
  { record, claim }: KeyStanding,
  holds: (asset: AssetRecord | SettledAsset) => boolean,
): HeldAsset {
  const { outcome = null, failure = null } = settled ?? {};
  return {
    key,
    kind,
    came,
    // A step is named after its node, with a suffix if the node was compiled to several steps.
    node: step?.split('.')[0] ?? null,
    step,
    operation,
    shard,
    outcome,
    failure: failure && { node: failure.node, code: failure.code, message: failure.message },
    record: record && {
      run: record.run,
      finishedAt: record.finishedAt,
      files: record.files.length,
      movedFrom: record.moved?.key ?? null,
      replaced: settled !== null && holds(settled) && !holds(record),
    },
    claim: claim && { run: claim.run, state: claim.state },
  };
}
