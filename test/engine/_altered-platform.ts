// A sandbox whose responses a test can alter on their way to the client. The sandbox keeps the original responses.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { routeOf, servedIds } from '../../packages/sandbox/src/http/routes.ts';
import { type Client, type ClientOptions, createClient } from '../../src/api/client.ts';
import { splitRoute } from '../../src/api/contract/operation.ts';
import type { OperationId } from '../../src/api/operations/index.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import type { ResponseAnomaly } from '../../src/api/responses/anomalies.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { createPollerContext } from '../../src/engine/polling/poller-context.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { SandboxRun } from './_sandbox-run.ts';

/** @param sent the request body; empty if the request has none */
type ReplaceResponse = (request: string, sent: string) => { status: number; body: unknown } | null;
type AlterResponse = (operation: OperationId, body: unknown) => unknown;

/** Sorts longer paths first, and paths without parameters before paths with parameters. */
const routes = servedIds
  .map((id) => {
    const { method, path } = splitRoute(routeOf(id));
    const pattern = path.replaceAll(/\{\w+\}/g, '[^/]+');
    return { id, pattern: new RegExp(`^${method} /api/v1${pattern}$`), path };
  })
  .sort((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')));

function operationOf({ method, url = '/' }: IncomingMessage): OperationId | undefined {
  const [path = ''] = url.split('?');
  return routes.find(({ pattern }) => pattern.test(`${method} ${path}`))?.id;
}

export class AlteredPlatform {
  /** Alters the responses of an operation. Undefined leaves a response unchanged. */
  alterResponse: AlterResponse = () => undefined;
  /** Responds instead of the sandbox. Null passes the request on. */
  replaceResponse: ReplaceResponse = () => null;
  /** Anomalies that the client reported. */
  readonly reportedAnomalies: ResponseAnomaly[] = [];
  /** The last original response of each operation. */
  readonly answers = new Map<OperationId, unknown>();
  /** Number of responses by operation. */
  readonly counts = new Map<OperationId, number>();
  readonly run: SandboxRun;
  readonly client: Client;
  readonly #close: () => Promise<void>;

  private constructor(run: SandboxRun, client: Client, close: () => Promise<void>) {
    this.run = run;
    this.client = client;
    this.#close = close;
  }

  static async start(
    more: Pick<ClientOptions, 'consistencyWindowMs'> = {},
  ): Promise<AlteredPlatform> {
    const run = await SandboxRun.start();
    const server = createServer((incoming, out) => {
      platform.#pass(incoming, out).catch(() => out.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createClient({
      baseUrl: `http://127.0.0.1:${port}/api/v1`,
      apiKey: run.sandbox.apiKey,
      budget: new RateBudget(),
      onAnomaly: (anomaly) => platform.reportedAnomalies.push(anomaly),
      now: () => run.nowMs,
      ...more,
    });
    const platform = new AlteredPlatform(run, client, async () => {
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await run.stop();
    });
    return platform;
  }

  stop(): Promise<void> {
    return this.#close();
  }

  /** Runs the whole plan with the altered responses. */
  runPlan(plan: Plan, assets: readonly Asset[]): Promise<FinalizedAsset[]> {
    const { client } = this;
    const parts: Partial<NodeContext> = {
      client,
      pollerContext: createPollerContext(client, () => this.run.nowMs),
    };
    return this.run.runPlan(plan, assets, { after: '', ...parts });
  }

  async #pass(incoming: IncomingMessage, out: ServerResponse): Promise<void> {
    const { host: _host, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    const sent = await buffer(incoming);
    const replaceResponse = this.replaceResponse(`${method} ${url}`, sent.toString());
    if (replaceResponse !== null) {
      const date = new Date(this.run.nowMs).toUTCString();
      out.writeHead(replaceResponse.status, { 'content-type': 'application/json', date });
      out.end(JSON.stringify(replaceResponse.body));
      return;
    }
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const onward = request(new URL(url, this.run.sandbox.origin), { method, headers }, resolve);
      onward.on('error', reject).end(sent);
    });
    const bytes = await buffer(answer);
    const { statusCode = 502, headers: given } = answer;
    const operation = statusCode < 300 ? operationOf(incoming) : undefined;
    const changed = operation === undefined ? undefined : this.#changed(operation, bytes);
    const { 'content-length': _length, ...others } = given;
    out.writeHead(statusCode, others);
    out.end(changed === undefined ? bytes : JSON.stringify(changed));
  }

  #changed(operation: OperationId, bytes: Buffer): unknown {
    const body: unknown = JSON.parse(bytes.toString());
    this.answers.set(operation, body);
    this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1);
    return this.alterResponse(operation, structuredClone(body));
  }
}
