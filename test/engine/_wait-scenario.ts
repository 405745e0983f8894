// Waits of four shards of fifty assets with a test clock. Each wait polls at its interval and on each wake-up, like an
// activity attempt that is held open.

import type { NodeContext } from '../../src/engine/node-context.ts';
import { basePollIntervalMs, wakeIntervalMs } from '../../src/engine/polling/poll-policy.ts';
import {
  createPollerContext,
  type PollerContext,
} from '../../src/engine/polling/poller-context.ts';
import { awaitModels } from '../../src/features/models/model-ready.ts';
import { modelStatusPoller } from '../../src/features/models/model-status-poller.ts';
import { awaitRenders } from '../../src/features/renders/render-complete.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';
import { contextOn } from './_context.ts';
import type { ScriptedPlatform } from './_platform.ts';

/** Delays, ms, of the notifications of the nth finished item. */
export type Deliver = (ending: number) => number[];

type Wait = (config: unknown, assets: StepAsset[], context: NodeContext) => Promise<AssetResult[]>;

interface FakeCompletion {
  hint: string;
  atMs: number;
  complete: () => void;
}

const startMs = 1_000_000;
/** Step of the clock, fine enough for wake-ups and poll intervals. */
const stepMs = 40;
const perShard = 50;
const keys = Array.from({ length: 200 }, (_, index) => `a${index}`);

export class WaitScenario {
  readonly #platform: ScriptedPlatform;
  readonly #pollerContext: PollerContext;
  #nowMs = startMs;

  constructor(platform: ScriptedPlatform) {
    this.#platform = platform;
    this.#pollerContext = createPollerContext(platform.client, () => this.#nowMs);
  }

  close(): void {
    this.#pollerContext.wakeUps.close();
  }

  /** Models that are ready 2 to 6 s after their upload. Resolves with the result of each. */
  models(deliver: Deliver | null): Promise<string[]> {
    for (const key of keys) this.#platform.models.set(key, { status: 'ANALYZING' });
    modelStatusPoller(this.#pollerContext).recordCreated(keys);
    const completions = keys.map((key, index) => ({
      hint: `model/${key}`,
      atMs: endsAt(index, 2_000, 6_000),
      complete: () => void this.#platform.models.set(key, { status: 'READY' }),
    }));
    return this.#run(
      awaitModels,
      keys.map((key) => waiting(key, { modelId: key })),
      completions,
      deliver,
    );
  }

  /** Renders of 3 to 9 s, one batch per shard. */
  renders(deliver: Deliver | null): Promise<string[]> {
    const submittedAt = new Date(this.#platform.feed.nowMs).toISOString();
    shardsOf(keys).forEach((mine, index) => this.#platform.submit(`b${index}`, ...mine));
    const assets = keys.map((key, index) =>
      waiting(key, {
        jobId: `job-${key}`,
        batchId: `b${Math.floor(index / perShard)}`,
        projectId: key,
        submittedAt,
        ownProject: true,
        outputCountKey: 'one still',
      }),
    );
    const completions = keys.map((key, index) => ({
      hint: `render/job-${key}`,
      atMs: endsAt(index, 3_000, 9_000),
      complete: () => this.#platform.end('COMPLETED', key),
    }));
    return this.#run(awaitRenders, assets, completions, deliver);
  }

  async #run(
    wait: Wait,
    assets: StepAsset[],
    completions: FakeCompletion[],
    deliver: Deliver | null,
  ): Promise<string[]> {
    const { wakeUps } = this.#pollerContext;
    wakeUps.isListening = deliver !== null;
    const posts = completions.flatMap(({ hint, atMs }, index) =>
      (deliver?.(index) ?? []).map((afterMs) => ({ hint, atMs: atMs + afterMs })),
    );
    const shards = shardsOf(assets);
    const results: AssetResult[] = [];
    let [wokenAtMs, isHinted] = [startMs, false];
    for (; results.length < assets.length; this.#nowMs += stepMs) {
      if (this.#nowMs > startMs + 60_000) throw new Error('the waits do not end');
      for (const { complete } of this.#passed(completions)) complete();
      const come = this.#passed(posts).map(({ hint }) => hint);
      wakeUps.receive(come);
      isHinted ||= come.length > 0;
      const isWoken = isHinted && this.#nowMs - wokenAtMs >= wakeIntervalMs;
      if (isWoken) [wokenAtMs, isHinted] = [this.#nowMs, false];
      if (!isWoken && this.#nowMs % basePollIntervalMs >= stepMs) continue;
      const found = await Promise.all(shards.map((mine) => wait({}, mine, this.#context())));
      found.forEach((over, index) => {
        const known = new Set(over.map(({ key }) => key));
        shards[index] = (shards[index] ?? []).filter(({ key }) => !known.has(key));
        results.push(...over);
      });
    }
    return results.map((one) => {
      const outputs = one.outcome === 'done' ? one.platformIds?.outputs : undefined;
      return `${one.outcome}, ${outputs?.length ?? 0} outputs`;
    });
  }

  /** Results of the step that ends now. */
  #passed<One extends { atMs: number }>(all: readonly One[]): One[] {
    return all.filter(({ atMs }) => atMs > this.#nowMs - stepMs && atMs <= this.#nowMs);
  }

  #context(): NodeContext {
    return contextOn(this.#platform, {
      pollerContext: this.#pollerContext,
      now: () => this.#nowMs,
      wait: { batchAssets: perShard },
    });
  }
}

/** Durations spread evenly over all shards. */
function endsAt(index: number, minMs: number, maxMs: number): number {
  const share = ((index * 37) % keys.length) / keys.length;
  return startMs + minMs + Math.round(share * (maxMs - minMs));
}

function waiting(key: string, platformIds: PlatformIds): StepAsset {
  return { ...asset(key, platformIds), enteredAtMs: startMs, deadlineMs: startMs + 900_000 };
}

function shardsOf<One>(all: readonly One[]): One[][] {
  return Array.from({ length: all.length / perShard }, (_, index) =>
    all.slice(index * perShard, (index + 1) * perShard),
  );
}
