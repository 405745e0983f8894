// Runs a plan against a sandbox without Temporal. Each step runs like an activity. A test clock advances when nothing
// happens.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { startMs, triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { type Client, createClient } from '../../src/api/client.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import { defaultFieldNames } from '../../src/api/requests/field-names.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { dropPrematureFailures } from '../../src/engine/consistency-window.ts';
import { NotVisibleYetError } from '../../src/engine/engine-errors.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import type { StepType } from '../../src/engine/node-type.ts';
import { createPollerContext } from '../../src/engine/polling/poller-context.ts';
import { failSharedId } from '../../src/engine/submit/shared-ids.ts';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';
import { stepTypes } from '../../src/features/index.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import { chunks } from '../../src/plan/helpers/chunks.ts';
import type { Asset, Plan, Step, StepAsset } from '../../src/plan/types.ts';
import type { RunningSandbox } from '../../src/sandbox/interface.ts';
import { readOperatorRules } from '../../src/settings/operator-rules.ts';
import { modelKeyOf } from '../../src/store/records/cell-keys.ts';
import { KeyedShard } from '../plan/_keyed-shard.ts';
import { runContext } from './_context.ts';

/** Maximum number of polls, one per second; more than any work here needs. */
const maxRounds = 2_000;

export class SandboxRun {
  nowMs = startMs;
  readonly sandbox: RunningSandbox;
  readonly client: Client;
  readonly folder: string;
  #requests = new RequestCounter();

  private constructor(sandbox: RunningSandbox, folder: string, clock: { run?: SandboxRun }) {
    clock.run = this;
    this.sandbox = sandbox;
    this.folder = folder;
    const { url: baseUrl, apiKey } = sandbox;
    const now = () => this.nowMs;
    this.client = createClient({ baseUrl, apiKey, budget: new RateBudget(), now });
  }

  static async start(): Promise<SandboxRun> {
    const clock: { run?: SandboxRun } = {};
    const sandbox = await startSandbox({
      seed: 1,
      pictureScale: 0,
      rateLimit: 0,
      clock: () => clock.run?.nowMs ?? startMs,
    });
    return new SandboxRun(sandbox, await mkdtemp(join(tmpdir(), 'renderline-plan-')), clock);
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.sandbox.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  pass(seconds: number): void {
    this.nowMs += seconds * 1_000;
  }

  async control(path: string, body: unknown): Promise<void> {
    const answer = await fetch(`${this.sandbox.origin}/_sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  }

  /** An asset with a ready model. */
  async asset(key: string, bytes: Buffer = triangleGlb()): Promise<Asset> {
    const made = await this.client.createModels({
      body: { models: [{ name: key, fileType: 'glb' }] },
    });
    const [model] = made.models;
    if (model?.uploadUrl === undefined) throw new Error('no model was made');
    await fetch(model.uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
    const params = { modelId: model.modelId };
    await this.client.confirmModel({ params, body: { fileType: 'glb' } });
    await this.sandbox.idle();
    this.pass(10);
    return {
      key,
      source: { path: `${key}.glb`, bytes: bytes.length, mtimeMs: 1, version: 'v1' },
      platformIds: { modelId: model.modelId },
    };
  }

  /** A ready material. */
  async material(name: string): Promise<string> {
    const body = { name, pantoneCode: '186 C', hex: '#c8102e' };
    return (await this.client.createPantoneMaterial({ body })).id ?? '';
  }

  /** Names of the variants of an asset's model. */
  async variantsOf({ platformIds }: Asset): Promise<string[]> {
    const params = { modelId: platformIds.modelId ?? '' };
    const { variants } = await this.client.listModelVariants({ params });
    return variants.map(({ name }) => name ?? '');
  }

  /** Requests since the last call, by operation. */
  requests(): Record<string, number> {
    return this.#requests.take().byOperation;
  }

  context(
    plan: Plan | null,
    step: NodeContext['step'],
    more: Partial<NodeContext> = {},
  ): NodeContext {
    const records = { type: 'local', path: this.folder };
    const { parameters = {}, operations } = plan ?? {};
    const run = runContext({ records, parameters, ...(operations ? { operations } : {}) });
    return {
      client: this.client,
      fields: defaultFieldNames,
      pollerContext: createPollerContext(this.client, () => this.nowMs),
      store: openRunStore(openConnector(records), run, { now: () => this.nowMs }),
      renderQuota: null,
      getConnector: (name) => openConnector(plan?.connectors[name] ?? records),
      transfers: Semaphore.of(4),
      run,
      shard: 0,
      wait: null,
      step,
      requests: this.#requests,
      signal: new AbortController().signal,
      heartbeat: () => undefined,
      assertLease: () => Promise.resolve(),
      confirmLease: () => Promise.resolve(),
      operatorRules: readOperatorRules({}, 'any'),
      temporalUi: null,
      attempt: { number: 1, firstAtMs: this.nowMs, retryUntilAtMs: this.nowMs + 3_600_000 },
      now: () => this.nowMs,
      runNow: () => this.nowMs,
      ...more,
    };
  }

  /** Retries later while a call refers to a resource that is not visible yet. */
  async #attempt(step: Step, group: StepAsset[], context: NodeContext) {
    for (;;) {
      try {
        return await runStep(step, group, context);
      } catch (error) {
        if (!(error instanceof NotVisibleYetError)) throw error;
        this.pass(error.delayMs / 1_000);
      }
    }
  }

  /** Runs the steps after the node `after`; returns the finished assets. */
  async runPlan(
    plan: Plan,
    assets: readonly Asset[],
    { after = 'ready', ...more }: Partial<NodeContext> & { after?: string } = {},
  ): Promise<FinalizedAsset[]> {
    const steps = stepsBehind(plan, after);
    const shard = new KeyedShard(steps, assets);
    const models = new Set(assets.map(modelKeyOf));
    const perModel = Math.ceil(assets.length / Math.max(models.size, 1));
    const { pollerContext } = this.context(plan, { id: '', node: '', batch: 1, retry: null });
    for (let round = 0; !shard.ended; round += 1) {
      if (round > maxRounds) throw new Error('the plan did not come to its end');
      let moved = 0;
      for (const [index, step] of steps.entries()) {
        const calls = shard.takeCalls(index, this.nowMs);
        for (const group of calls.flatMap((call) => chunks(call, step.batch * perModel))) {
          const context = this.context(plan, step, { pollerContext, ...more });
          const results = await this.#attempt(step, group, context);
          moved += results.length;
          shard.apply(index, group, results);
        }
      }
      await this.sandbox.idle();
      if (moved === 0) this.pass(1);
    }
    return shard.takeSettled();
  }
}

function typeOf(step: Step): StepType {
  const type = stepTypes.find((known) => known.type === step.activity);
  if (type === undefined) throw new Error(`no activity ${step.activity}`);
  return type;
}

async function runStep(step: Step, assets: StepAsset[], context: NodeContext) {
  const type = typeOf(step);
  const results = await type.run(type.config.parse(step.config), assets, context);
  return dropPrematureFailures(results.map(failSharedId), assets, type.mode, context);
}

function stepsBehind({ steps }: Plan, after: string): Step[] {
  const before = new Set([after]);
  for (const { id, parents } of [...steps].reverse()) {
    if (before.has(id)) for (const parent of parents) before.add(parent);
  }
  return steps
    .filter(({ id }) => !before.has(id))
    .map((step) => ({ ...step, parents: step.parents.filter((id) => !before.has(id)) }));
}
