// Assembles a sandbox (state, storage, API, controls and page) as one hono app.
import { setMaxListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { SandboxOptions } from 'renderline/sandbox/interface';
import { Background, type Sandbox } from '../context/sandbox.ts';
import { createControlRoutes } from '../control/index.ts';
import { createDrawPool } from '../drawing/threads/pool.ts';
import { type FaultRule, FaultRules, Faults } from '../faults/faults.ts';
import { describeIssues } from '../http/decode.ts';
import type { Env } from '../http/env.ts';
import { errorResponse, jsonHeaders } from '../http/failure.ts';
import { Idempotency } from '../http/idempotency.ts';
import { Links } from '../http/links.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { Stats } from '../http/stats.ts';
import { resumeProcessing } from '../library/material-processing.ts';
import { resumeImports } from '../models/import.ts';
import { resolveOptions, SandboxOptionError } from '../options.ts';
import { createPageRoutes } from '../page/routes.ts';
import { Pictures } from '../pictures/pictures.ts';
import { PipelineRunner } from '../pipelines/runner.ts';
import { resumeProduction } from '../production/exports.ts';
import { drawAhead } from '../renders/submit.ts';
import { Files } from '../state/files.ts';
import { Store } from '../state/store.ts';
import { RenderIndex } from '../status/render-index.ts';
import { createStorageRoutes } from '../storage/storage.ts';
import { Events } from '../webhooks/events.ts';
import { Access } from '../workspace/access.ts';
import { Limits } from '../workspace/limits.ts';
import { apiRoot, createApiRoutes, toFailureResponse } from './api.ts';

export interface SandboxApp {
  readonly app: Hono<Env>;
  readonly apiKey: string;
  /** Resolves when no background work, such as a download or a drawing, is left. */
  readonly idle: () => Promise<void>;
  /** Sends the events that are due. Resolves when each is delivered or abandoned. */
  readonly deliverEvents: () => Promise<void>;
  /** Stops background work and writes pending state. Without `data` all files are deleted. */
  readonly close: () => Promise<void>;
}

/** Creates a sandbox without a server: call `app.request(...)`. @throws SandboxOptionError */
export function createSandboxApp(requestedOptions: SandboxOptions = {}): SandboxApp {
  const options = resolveOptions(requestedOptions);
  const root = options.data ?? mkdtempSync(join(tmpdir(), 'renderline-sandbox-'));
  const store = new Store(options);
  const { apiKey, linkSecret, seed } = store.workspace;
  const stop = new AbortController();
  // The limit is lifted, because every download adds a listener to this signal.
  setMaxListeners(0, stop.signal);
  const pool = createDrawPool(options.drawThreads);
  const files = new Files(join(root, 'files'));
  const pictures = new Pictures(join(root, 'pictures'), pool, options.pictureScale);
  const faults = new Faults(seed, options.faults === undefined ? [] : readFaults(options.faults));
  const runner = new PipelineRunner(options.connectors);
  const sandbox: Sandbox = {
    options,
    store,
    files,
    pictures,
    openExports: new Set(),
    renders: new RenderIndex(store.outputs),
    links: new Links(linkSecret, options.linkSeconds),
    access: new Access(apiKey),
    limits: new Limits(options.tier),
    faults,
    stats: new Stats(),
    events: new Events(store, faults, options),
    advancePipelines: () => runner.poll(sandbox),
    background: new Background(),
    stopSignal: stop.signal,
  };
  const parts = {
    sandbox,
    rateLimit: new RateLimit(options.rateLimit, options.windowSeconds),
    idempotency: new Idempotency(store, options.keyHours),
  };
  resumeWork(sandbox);
  runner.start(sandbox);
  return {
    app: compose(parts),
    apiKey,
    idle: () => sandbox.background.waitUntilIdle(),
    deliverEvents: () => sandbox.events.deliverDue(),
    close: async () => {
      stop.abort();
      await runner.close();
      await sandbox.events.close();
      await sandbox.pictures.close();
      await sandbox.background.waitUntilIdle();
      store.close();
      if (options.data === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}

function resumeWork(sandbox: Sandbox): void {
  sandbox.renders.load(sandbox.store.renderJobs.all);
  for (const job of sandbox.store.renderJobs.all) drawAhead(sandbox, job);
  resumeImports(sandbox);
  resumeProcessing(sandbox);
  resumeProduction(sandbox);
  sandbox.events.load();
}

function compose(parts: Parameters<typeof createApiRoutes>[0]): Hono<Env> {
  const app = new Hono<Env>();
  app.route(apiRoot, createApiRoutes(parts));
  app.route('/_sandbox', createControlRoutes(parts.sandbox, parts.rateLimit));
  app.route('/', createStorageRoutes(parts.sandbox));
  app.route('/', createPageRoutes(parts.sandbox));
  app.notFound((c) => errorResponse(404, 'NOT_FOUND', `The path ${c.req.path} does not exist.`));
  app.onError((error) => {
    const { status, body } = toFailureResponse(error);
    return new Response(body, { status, headers: jsonHeaders });
  });
  return app;
}

function readFaults(path: string): FaultRule[] {
  const result = FaultRules.safeParse(readJson(path));
  if (result.success) return result.data;
  const issues = describeIssues('rules', result.error);
  throw new SandboxOptionError(`--faults ${path}: the fault rules are invalid: ${issues}`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // Node's message, such as `ENOENT: no such file or directory, open '/x'`, repeats the path.
    const reason = (error instanceof Error ? error.message : String(error)).replace(
      /^E[A-Z]+: ([^,]+), .*$/,
      '$1',
    );
    throw new SandboxOptionError(`--faults ${path}: not a readable JSON file: ${reason}`);
  }
}
