// Adds Temporal's view to a search: the existing runs, their state and their pages. Records
// outlive it, so a search works without a server.
import { looseFields } from '../../api/loose-fields.ts';
import { workflowIds, workflowNames } from '../../plan/contract.ts';
import { searchAttributeNames } from '../../plan/search-attributes.ts';
import { describeWorkflow, listWorkflows } from '../../temporal/codec/tolerant-reader.ts';
import { connectTemporal, type TemporalConnection } from '../../temporal/connect.ts';
import { explainUnlessRefused } from '../exit.ts';
import { listedRun } from '../runs/listed-run.ts';
import type { Session } from '../session.ts';
import { runPage } from '../temporal-session.ts';
import type { HeldRun } from './look.ts';
import { type KnownRuns, knownRuns } from './places.ts';
import type { ShownRun } from './words.ts';

const answerMs = 5_000;

export class Temporal {
  readonly #session: Session;
  readonly #connection: TemporalConnection | null;
  /** Why there is no connection. */
  readonly error: unknown;

  private constructor(
    session: Session,
    connection: TemporalConnection | null,
    error: unknown = null,
  ) {
    this.#session = session;
    this.#connection = connection;
    this.error = error;
  }

  static async open(session: Session): Promise<Temporal> {
    try {
      return new Temporal(session, await connectTemporal({ env: session.io.env }));
    } catch (error) {
      return new Temporal(session, null, error);
    }
  }

  /** Null where Temporal cannot be asked, which is reported once. */
  async runs(which: 'all' | 'open'): Promise<KnownRuns | null> {
    if (this.#connection !== null) return knownRuns(this.#connection.client, which);
    this.#session.output.note(
      `States and pages of runs are not known: ${explainUnlessRefused(this.error).message}`,
    );
    return null;
  }

  async show({ run, pipeline, count, assets }: HeldRun): Promise<ShownRun> {
    const state = await this.stateOf(run);
    const pageOf = (workflow: string) =>
      state === null || state === 'gone' || this.#connection === null
        ? null
        : runPage(this.#session, this.#connection.namespace, workflow);
    const shown: ShownRun = {
      run,
      pipeline,
      state,
      temporalUi: await pageOf(run),
      count,
      assets: [],
    };
    for (const asset of assets) {
      shown.assets.push({
        ...asset,
        shardUi: await pageOf(workflowIds.shard(run, asset.shard)),
      });
    }
    return shown;
  }

  /** Runs whose failed assets have the model, except those found already: their records may be out of reach. */
  async byFailedModel(
    id: string,
    found: readonly ShownRun[],
    pipeline: string | undefined,
  ): Promise<ShownRun[]> {
    if (this.#connection === null) return [];
    const { client } = this.#connection;
    const query = `WorkflowType = '${workflowNames.run}' AND ${searchAttributeNames.failedModels} = '${id}'`;
    const known = new Set(found.map(({ run }) => run));
    const more: ShownRun[] = [];
    try {
      for await (const info of listWorkflows(client, { query, pageSize: 100 })) {
        const listed = listedRun(info);
        if (known.has(listed.run) || (pipeline ?? listed.pipeline) !== listed.pipeline) continue;
        more.push(await this.show({ ...listed, count: 0, assets: [] }));
      }
    } catch (error) {
      // Search attributes may not be registered on the server; the records are complete anyway.
      if (looseFields(error)['code'] !== invalidArgument) throw error;
    }
    return more;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** State as `runs` lists it, `gone` for a run unknown to Temporal; null where Temporal cannot be asked. */
  async stateOf(run: string): Promise<string | null> {
    if (this.#connection === null) return null;
    const { client } = this.#connection;
    const read = () =>
      client.withDeadline(Date.now() + answerMs, () => describeWorkflow(client, run));
    try {
      return listedRun(await read()).state;
    } catch (error) {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return 'gone';
      throw error;
    }
  }
}

/** Status number of gRPC. */
const invalidArgument = 3;
