// Adds Temporal's data to a search that also works without a server: known runs, their states and their UI pages.

import { grpcCode, hasGrpcCode } from '../../failures/grpc-status.ts';
import { workflowIds, workflowNames } from '../../plan/contract/contract.ts';
import { searchAttributeNames } from '../../plan/search-attributes.ts';
import { idSpellingsOf } from '../../store/search/id-spelling.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { describeWorkflow, listWorkflows } from '../../temporal/codec/tolerant-reader.ts';
import { connectTemporal, type TemporalConnection } from '../../temporal/connection/connect.ts';
import type { App } from '../app.ts';
import { explainUnlessUnauthorized } from '../renderline-error.ts';
import { toListedRun } from '../runs/listed-run.ts';
import { isNotFoundError } from '../runs/run-snapshot.ts';
import { runPageUrl } from '../temporal-client.ts';
import { type KnownRuns, readKnownRuns } from './record-locations.ts';
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

export class TemporalLookup {
  readonly #app: App;
  readonly #connection: TemporalConnection | null;
  /** Why there is no connection. Null if there is one. */
  readonly error: unknown;

  private constructor(app: App, connection: TemporalConnection | null, error: unknown = null) {
    this.#app = app;
    this.#connection = connection;
    this.error = error;
  }

  static async open(app: App): Promise<TemporalLookup> {
    try {
      return new TemporalLookup(app, await connectTemporal({ env: app.env }));
    } catch (error) {
      return new TemporalLookup(app, null, error);
    }
  }

  async readKnownRuns(scope: 'all' | 'open'): Promise<KnownRuns | null> {
    return this.#connection && readKnownRuns(this.#connection.client, scope);
  }

  /** Notes what a search lacks without a connection. @throws if the credentials were refused */
  noteIfUnreachable(): void {
    if (this.#connection !== null) return;
    const { message } = explainUnlessUnauthorized(this.error);
    this.#app.note(`Run states and UI links are unavailable: ${message}`);
  }

  async describeRun({ run, pipeline, count, assets }: MatchedRun): Promise<FoundRun> {
    const state = await this.readState(run);
    const pageOf = (workflow: string) =>
      state === null || state === 'gone' || this.#connection === null
        ? null
        : runPageUrl(this.#app, this.#connection.namespace, workflow);
    const temporalUi = await pageOf(run);
    const foundAssets: FoundRunAsset[] = [];
    for (const asset of assets) {
      const shardUi = await pageOf(workflowIds.shard(run, asset.shard));
      foundAssets.push({ ...asset, shardUi });
    }
    return { run, pipeline, state, temporalUi, count, assets: foundAssets };
  }

  /** Finds other runs in which an asset with this model failed. Their records may not be readable here. */
  async findByFailedModel(
    id: string,
    runsWithId: readonly FoundRun[],
    pipeline: string | undefined,
  ): Promise<FoundRun[]> {
    if (this.#connection === null) return [];
    const { client } = this.#connection;
    const hasModel = idSpellingsOf(id).map(
      (text) => `${searchAttributeNames.failedModels} = '${text}'`,
    );
    const query = `WorkflowType = '${workflowNames.run}' AND (${hasModel.join(' OR ')})`;
    const knownIds = new Set(runsWithId.map(({ run }) => run));
    const foundRuns: FoundRun[] = [];
    try {
      for await (const info of listWorkflows(client, { query, pageSize: 100 })) {
        const run = toListedRun(info);
        if (knownIds.has(run.run) || (pipeline ?? run.pipeline) !== run.pipeline) continue;
        foundRuns.push(await this.describeRun({ ...run, count: 0, assets: [] }));
      }
    } catch (error) {
      // The search attribute may not be registered on the server. The search of the records is complete without it.
      if (!hasGrpcCode(error, grpcCode.invalidArgument)) throw error;
    }
    return foundRuns;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** Returns the state as `runs` lists it, or `gone` for a run unknown to Temporal. Null without a connection. */
  async readState(run: string): Promise<string | null> {
    if (this.#connection === null) return null;
    const { client } = this.#connection;
    try {
      const read = () => describeWorkflow(client, run);
      return toListedRun(await callWithTimeout(client, responseTimeoutMs.usual, read)).state;
    } catch (error) {
      if (isNotFoundError(error)) return 'gone';
      throw error;
    }
  }
}
