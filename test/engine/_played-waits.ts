// Waits of four shards with fifty assets each, on a clock of the test. Work completes and notifications arrive; the
// waits poll at each interval and when a wake-up arrives, as real wait activities do.
import { awaitModels } from '../../src/capabilities/models/await-models.ts';
import { modelLooks } from '../../src/capabilities/models/model-board.ts';
import { awaitRenders } from '../../src/capabilities/renders/await-renders.ts';
import type { NodeContext } from '../../src/machinery/node-context.ts';
import { wakeEveryMs } from '../../src/machinery/watch/hints.ts';
import { createLookout, type Lookout } from '../../src/machinery/watch/lookout.ts';
import { baseTickMs } from '../../src/machinery/watch/ticks.ts';
import type { Refs } from '../../src/plan/refs.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';
import { contextOn } from './_context.ts';
import type { Platform } from './_platform.ts';

/** Delays after which the notifications of the nth completion arrive, ms. */
export type Deliver = (ending: number) => number[];

type Wait = (config: unknown, assets: StepAsset[], context: NodeContext) => Promise<AssetResult[]>;

interface Ending {
  hint: string;
  atMs: number;
  happen: () => void;
}

const startMs = 1_000_000;
/** Fine enough for wake-ups and poll intervals. */
const stepMs = 40;
const perShard = 50;
const keys = Array.from({ length: 200 }, (_, index) => `a${index}`);

export class PlayedWaits {
  readonly #platform: Platform;
  readonly #lookout: Lookout;
  #nowMs = startMs;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#lookout = createLookout(platform.client, () => this.#nowMs);
  }

  close(): void {
    this.#lookout.hints.close();
  }

  /** Waits for models that are ready 2 to 6 s after their upload. Resolves with the outcomes. */
  models(deliver: Deliver | null): Promise<string[]> {
    for (const key of keys) this.#platform.models.set(key, { status: 'ANALYZING' });
    modelLooks(this.#lookout).made(keys);
    const endings = keys.map((key, index) => ({
      hint: `model/${key}`,
      atMs: endsAt(index, 2_000, 6_000),
      happen: () => void this.#platform.models.set(key, { status: 'READY' }),
    }));
    return this.#play(
      awaitModels,
      keys.map((key) => waiting(key, { modelId: key })),
      endings,
      deliver,
    );
  }

  /** Waits for renders of 3 to 9 s, one batch per shard. Resolves with the outcomes. */
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
        alike: 'one still',
      }),
    );
    const endings = keys.map((key, index) => ({
      hint: `render/job-${key}`,
      atMs: endsAt(index, 3_000, 9_000),
      happen: () => this.#platform.end('COMPLETED', key),
    }));
    return this.#play(awaitRenders, assets, endings, deliver);
  }

  async #play(
    wait: Wait,
    assets: StepAsset[],
    endings: Ending[],
    deliver: Deliver | null,
  ): Promise<string[]> {
    const { hints } = this.#lookout;
    hints.listening = deliver !== null;
    const posts = endings.flatMap(({ hint, atMs }, index) =>
      (deliver?.(index) ?? []).map((afterMs) => ({ hint, atMs: atMs + afterMs })),
    );
    const shards = shardsOf(assets);
    const results: AssetResult[] = [];
    let [wokenAtMs, isHinted] = [startMs, false];
    for (; results.length < assets.length; this.#nowMs += stepMs) {
      if (this.#nowMs > startMs + 60_000) throw new Error('the waits do not end');
      for (const { happen } of this.#passed(endings)) happen();
      const come = this.#passed(posts).map(({ hint }) => hint);
      hints.hear(come);
      isHinted ||= come.length > 0;
      const isWoken = isHinted && this.#nowMs - wokenAtMs >= wakeEveryMs;
      if (isWoken) [wokenAtMs, isHinted] = [this.#nowMs, false];
      if (!isWoken && this.#nowMs % baseTickMs >= stepMs) continue;
      const found = await Promise.all(shards.map((mine) => wait({}, mine, this.#context())));
      found.forEach((over, index) => {
        const known = new Set(over.map(({ key }) => key));
        shards[index] = (shards[index] ?? []).filter(({ key }) => !known.has(key));
        results.push(...over);
      });
    }
    return results.map((one) => {
      const outputs = one.outcome === 'done' ? one.refs?.outputs : undefined;
      return `${one.outcome}, ${outputs?.length ?? 0} outputs`;
    });
  }

  /** What happens during the current step of the clock. */
  #passed<One extends { atMs: number }>(all: readonly One[]): One[] {
    return all.filter(({ atMs }) => atMs > this.#nowMs - stepMs && atMs <= this.#nowMs);
  }

  #context(): NodeContext {
    return contextOn(this.#platform, {
      lookout: this.#lookout,
      now: () => this.#nowMs,
      wait: { gather: perShard },
    });
  }
}

/** Spread evenly over the time and over all shards. */
function endsAt(index: number, leastMs: number, mostMs: number): number {
  const share = ((index * 37) % keys.length) / keys.length;
  return startMs + leastMs + Math.round(share * (mostMs - leastMs));
}

function waiting(key: string, refs: Refs): StepAsset {
  return { ...asset(key, refs), enteredAtMs: startMs, deadlineMs: startMs + 900_000 };
}

function shardsOf<One>(all: readonly One[]): One[][] {
  return Array.from({ length: all.length / perShard }, (_, index) =>
    all.slice(index * perShard, (index + 1) * perShard),
  );
}
