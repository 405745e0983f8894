// A scripted platform on a local HTTP server: model status, render batches, outputs and templates.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from '../../src/api/client.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import { RenderFeed } from './_render-feed.ts';

export interface ScriptedResponse {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** How storage responds to one request for an image. */
export type Serving = (response: ServerResponse, picture: Buffer | undefined) => void;

const serveNormally: Serving = (response, picture) => {
  response.writeHead(picture ? 200 : 404, { 'content-type': 'image/png' });
  response.end(picture);
};

export class ScriptedPlatform {
  readonly feed = new RenderFeed();
  /** Status by model id; other ids do not exist in the workspace. */
  readonly models = new Map<string, { status: string; error?: string }>();
  readonly batches = new Map<
    string,
    { jobId: string; status: string; projectId: string; errorMessage?: string }[]
  >();
  templates: { templateId: string; name: string }[] = [];
  /** `total` of the list of renders instead of its length. */
  listTotal: number | undefined;
  /** Images by name, served at /cdn/NAME; others do not exist. */
  readonly pictures = new Map<string, Buffer>();
  /** Effects on the next requests for an image, by name; later requests succeed. */
  readonly servings = new Map<string, Serving[]>();
  /** Render jobs by id, for GET /renders/{jobId}. */
  readonly jobs = new Map<string, unknown>();
  /** `METHOD path` of every request, without query. */
  readonly requests: string[] = [];
  /** Overrides the response; undefined for the usual one. */
  intercept: (
    request: string,
    url: URL,
  ) => ScriptedResponse | Promise<ScriptedResponse | undefined> | undefined = () => undefined;
  readonly client: Client;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.client = createClient({
      baseUrl: `http://127.0.0.1:${port}/api/v1`,
      apiKey: 'svc_test_secret',
      budget: new RateBudget(),
    });
  }

  static async start(): Promise<ScriptedPlatform> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const platform = new ScriptedPlatform(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://local');
        const name = `${request.method ?? ''} ${url.pathname.replace('/api/v1', '')}`;
        platform.requests.push(name);
        if (name.startsWith('GET /cdn/')) {
          const file = name.slice('GET /cdn/'.length);
          const serve = platform.servings.get(file)?.shift() ?? serveNormally;
          serve(response, platform.pictures.get(file));
          return;
        }
        platform
          .#answer(name, url, Buffer.concat(chunks).toString())
          .then(({ status, body, headers = {} }) => {
            response.writeHead(status, { 'content-type': 'application/json', ...headers });
            response.end(JSON.stringify(body));
          })
          .catch(() => response.destroy());
      });
    });
    return platform;
  }

  /** The address of an image. */
  urlOf(name: string): string {
    return new URL(`/cdn/${name}`, this.client.baseUrl).href;
  }

  /** Number of requests for a route. */
  count(name: string): number {
    return this.requests.filter((request) => request.startsWith(name)).length;
  }

  /** A batch with one job per project, all RENDERING. */
  submit(batchId: string, ...projects: string[]): void {
    this.batches.set(
      batchId,
      projects.map((projectId) => ({ jobId: `job-${projectId}`, status: 'RENDERING', projectId })),
    );
  }

  /** Finishes the jobs of these projects; completed ones have one output each. */
  end(status: string, ...projects: string[]): void {
    for (const jobs of this.batches.values()) {
      for (const job of jobs) if (projects.includes(job.projectId)) job.status = status;
    }
    if (status === 'COMPLETED') this.feed.finish(...projects);
  }

  async stop(): Promise<void> {
    await this.client.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(name: string, url: URL, text: string): Promise<ScriptedResponse> {
    const special = await this.intercept(name, url);
    if (special) return special;
    if (name === 'POST /models/status') return { status: 200, body: this.#modelStatus(text) };
    if (name === 'GET /templates')
      return {
        status: 200,
        body: { templates: this.templates.map((one) => ({ ...one, description: '' })) },
      };
    if (name === 'GET /renders') {
      const limit = Number(url.searchParams.get('limit') ?? 50);
      const offset = Number(url.searchParams.get('offset') ?? 0);
      const { renders, total } = await this.feed.read({ limit, offset });
      return { status: 200, body: { renders, total: this.listTotal ?? total, limit, offset } };
    }
    const batchId = /^GET \/renders\/batch\/(.+)$/.exec(name)?.[1] ?? '';
    const jobId = /^GET \/renders\/([^/]+)$/.exec(name)?.[1] ?? '';
    const job = this.jobs.get(jobId) ?? this.#jobOf(jobId);
    if (job) return { status: 200, body: job };
    const jobs = this.batches.get(batchId);
    if (jobs) return { status: 200, body: { batchId, total: jobs.length, counts: {}, jobs } };
    return { status: 404, body: { error: { code: 'NOT_FOUND', message: `no ${name}` } } };
  }

  /** A job of a batch with all its outputs, whatever the list shows. */
  #jobOf(jobId: string): unknown {
    const job = [...this.batches.values()].flat().find((one) => one.jobId === jobId);
    if (job === undefined) return undefined;
    const made = this.feed.finishedItems.filter(({ projectId }) => projectId === job.projectId);
    const renders = made.map(({ id, name, fileType, isVideo, url }) => ({
      id,
      name,
      fileType,
      isVideo,
      filePath: url,
    }));
    return { ...job, renders };
  }

  #modelStatus(text: string) {
    const { modelIds } = JSON.parse(text) as { modelIds: string[] };
    const models = modelIds.flatMap((modelId) => {
      const model = this.models.get(modelId);
      if (!model) return [];
      const ready = ['READY', 'APPROVED'].includes(model.status);
      return [{ modelId, name: modelId, ready, ...model }];
    });
    const notFound = modelIds.filter((modelId) => !this.models.has(modelId));
    return {
      models,
      allReady: models.every(({ ready }) => ready) && notFound.length === 0,
      notFound,
    };
  }
}
