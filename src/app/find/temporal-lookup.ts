// Adds Temporal's data to a search that also works without a server: known runs, their states and their UI pages.

import { grpcCode, hasGrpcCode } from '../../failures/grpc-status.ts';
import { workflowIds, workflowNames } from '../../plan/contract/contract.ts';
import { searchAttributeNames } from '../../plan/search-attributes.ts';
import { idSpellingsOf } from '../../store/search/id-spelling.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { describeWorkflow, listWorkflows } from '../../temporal/codec/tolerant-reader.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import type { App } from '../app.ts';
import { toListedRun } from '../runs/listed-run.ts';
import { isNotFoundError } from '../runs/run-snapshot.ts';
import { runPageUrl } from '../temporal-client.ts';
import type { MatchedAsset, MatchedRun } from './search-records.ts';

export interface FoundRun {
  run: string;
  pipeline: string | null;
  /** State as `runs` lists it, or `gone` if Temporal does not know the run. Null if Temporal cannot be reached. */
  state: string | null;
  temporalUi: string | null;
  count: number;
  assets: FoundRunAsset[];
}

export interface FoundRunAsset extends MatchedAsset {
  /** Address of the asset's shard in Temporal's UI. Null if there is none. */
  shardUi: string | null;
}

/** @param temporal null if Temporal cannot be reached */
export async function describeRun(
  app: App,
  temporal: TemporalConnection | null,
  { run, pipeline, count, assets }: MatchedRun,
): Promise<FoundRun> {
  const state = await readState(temporal, run);
  const pageOf = (workflow: string) =>
    temporal === null || state === 'gone' ? null : runPageUrl(app, temporal.namespace, workflow);
  const temporalUi = await pageOf(run);
  const foundAssets: FoundRunAsset[] = [];
  for (const asset of assets) {
    const shardUi = await pageOf(workflowIds.shard(run, asset.shard));
    foundAssets.push({ ...asset, shardUi });
  }
  return { run, pipeline, state, temporalUi, count, assets: foundAssets };
}

/** Finds other runs in which an asset with this model failed. Their records may not be readable here. */
export async function findByFailedModel(
  app: App,
  temporal: TemporalConnection,
  id: string,
  runsWithId: readonly FoundRun[],
  pipeline: string | undefined,
): Promise<FoundRun[]> {
  const hasModel = idSpellingsOf(id).map(
    (text) => `${searchAttributeNames.failedModels} = '${text}'`,
  );
  const query = `WorkflowType = '${workflowNames.run}' AND (${hasModel.join(' OR ')})`;
  const knownIds = new Set(runsWithId.map(({ run }) => run));
  const foundRuns: FoundRun[] = [];
  try {
    for await (const info of listWorkflows(temporal.client, { query, pageSize: 100 })) {
      const run = toListedRun(info);
      if (knownIds.has(run.run) || (pipeline ?? run.pipeline) !== run.pipeline) continue;
      foundRuns.push(await describeRun(app, temporal, { ...run, count: 0, assets: [] }));
    }
  } catch (error) {
    // The search attribute may not be registered on the server. The search of the records is complete without it.
    if (!hasGrpcCode(error, grpcCode.invalidArgument)) throw error;
  }
  return foundRuns;
}

/** Returns the state as `runs` lists it, or `gone` for a run unknown to Temporal. Null without a connection. */
export async function readState(
  temporal: TemporalConnection | null,
  run: string,
): Promise<string | null> {
  if (temporal === null) return null;
  const { client } = temporal;
  try {
    const read = () => describeWorkflow(client, run);
    return toListedRun(await callWithTimeout(client, responseTimeoutMs.usual, read)).state;
  } catch (error) {
    if (isNotFoundError(error)) return 'gone';
    throw error;
  }
}
