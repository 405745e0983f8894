// A sandbox, a records folder and a clock for tests of step attempts.
import { rm } from 'node:fs/promises';
import { createDeps, type Deps } from '../../activities/deps.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { ScriptedPlatform } from '../engine/_platform.ts';
import { manifestAsset, withManifest } from '../store/_store.ts';

export class ActivityFixture {
  nowMs = 1_000_000;
  readonly deps: Deps;
  readonly context: RunContext;
  readonly platform: ScriptedPlatform;
  readonly #path: string;

  static async open(secrets: string[] = []): Promise<ActivityFixture> {
    return new ActivityFixture(await ScriptedPlatform.start(), await tempFolder(), secrets);
  }

  private constructor(platform: ScriptedPlatform, path: string, secrets: string[]) {
    this.platform = platform;
    this.#path = path;
    this.context = runContext({ records: { type: 'local', path } });
    const { client } = platform;
    this.deps = createDeps({ client, workflows: noWorkflows, secrets, now: () => this.nowMs });
  }

  get pages() {
    return this.deps.storeOf(this.context).pages(0);
  }

  /** Stores a shard with these assets. */
  async shardOf(keys: readonly string[]): Promise<void> {
    const assets = keys.map((key) => manifestAsset(key));
    await withManifest(this.deps.storeOf(this.context), assets);
  }

  removeRecords(): Promise<void> {
    return rm(this.#path, { recursive: true });
  }

  close(): Promise<void> {
    return this.platform.stop();
  }
}
