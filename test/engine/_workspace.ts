// A sandbox on this machine with its own client, and the objects that selections of a pipeline need.
import { afterAll, beforeAll } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { type Client, createClient } from '../../src/api/client.ts';
import type { ModelStatus } from '../../src/api/operations/models.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import type { ListDeps } from '../../src/engine/discovery/list-deps.ts';
import type { RunningSandbox } from '../../src/sandbox/interface.ts';
import type { Lister } from '../../src/store/discovery/listed-source.ts';

export class Workspace {
  readonly #sandbox: RunningSandbox;
  readonly client: Client;

  constructor(sandbox: RunningSandbox) {
    this.#sandbox = sandbox;
    const { url: baseUrl, apiKey } = sandbox;
    this.client = createClient({ baseUrl, apiKey, budget: new RateBudget() });
  }

  /** POST /_sandbox/PATH */
  async set(path: string, value: unknown): Promise<unknown> {
    const url = `${this.#sandbox.origin}/_sandbox/${path}`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(value) });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return response.json();
  }

  /** The id of the tag of this name, which is created if missing. */
  async tag(name: string): Promise<string> {
    const { id } = (await this.set('tags', { name })) as { id: string };
    return id;
  }

  /** Creates model records without files, in this status. Returns ids by name, the last one of each name. */
  async models(names: readonly string[], status: ModelStatus = 'READY', category?: string) {
    const ids: Record<string, string> = {};
    for (let start = 0; start < names.length; start += 50) {
      const { models } = await this.client.createModels({
        body: {
          models: names.slice(start, start + 50).map((name) => ({
            name,
            fileType: 'glb',
            ...(category === undefined ? {} : { category }),
          })),
        },
      });
      for (const { modelId, name } of models) {
        await this.set(`models/${modelId}/status`, { status });
        ids[name] = modelId;
      }
    }
    return ids;
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.#sandbox.stop();
  }

  /** Result of a lister: names by platform id, refusals as `CODE id`, requests by operation. */
  async list(
    make: (context: ListDeps) => Lister,
    ids: readonly string[] | null = null,
    mayWrite = true,
  ) {
    const requests = new RequestCounter();
    const lister = make({
      node: 'begin',
      ids,
      mayWrite,
      client: () => this.client,
      getConnector: () => {
        throw new Error('lists of the platform open no connector');
      },
      requests,
      now: Date.now,
    });
    const { sources, failures } = await lister.list(undefined);
    return {
      found: sources,
      names: sources.map(({ source }) => source.path).sort(),
      refused: failures.map(({ key, code }) => `${code} ${key}`),
      requests: requests.byOperation,
    };
  }
}

/** A workspace for the tests of one file. */
export function useWorkspace({ speed = 1 } = {}): { readonly at: Workspace } {
  let workspace: Workspace | undefined;
  beforeAll(async () => {
    workspace = new Workspace(
      await startSandbox({ seed: 1, rateLimit: 0, pictureScale: 0, speed }),
    );
  });
  afterAll(async () => {
    await workspace?.stop();
  });
  return {
    get at() {
      if (!workspace) throw new Error('the workspace is there only inside tests and hooks');
      return workspace;
    },
  };
}
