// Sends plain requests to the platform under test: a sandbox whose clock the test moves, or a live platform.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { Controls } from './_controls.ts';
import { OpenApi } from './_open-api.ts';
import { Resources } from './_resources.ts';
import type { Expected, SendOptions } from './_rows.ts';
import { codes, ErrorEnvelope } from './_shapes.ts';

export interface PlatformResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON, or undefined. */
  readonly body: unknown;
}

export interface Target {
  /** API root, ending with /api/v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A GLB that the platform accepts. */
  readonly glb: Uint8Array;
  /** Advances the clock of a sandbox and waits for its background work. */
  readonly pass?: (seconds: number) => Promise<void>;
}

const requestMs = 30_000;
/** Time limit of `until`, in seconds of the platform's clock. */
const patienceSeconds = 600;

/** Every route that rows of this process have used, without queries. */
export const sentRoutes = new Set<string>();

export class Platform {
  readonly #target: Target;
  readonly #made = new Set<string>();
  readonly #tasks: (() => Promise<unknown>)[] = [];
  readonly resources = new Resources(this);
  readonly openApi = new OpenApi(this);

  constructor(target: Target) {
    this.#target = target;
  }

  get target(): Target {
    return this.#target;
  }

  /** False for a live platform, which may leave out what its reference does not promise. */
  get isSandbox(): boolean {
    return this.#target.pass !== undefined;
  }

  /** Settings that no operation offers; only for a sandbox. */
  get controls(): Controls {
    return new Controls(new URL(this.#target.baseUrl).origin);
  }

  /** Sends `METHOD /path` or `@operationId ids`. Every refusal must have the platform's error body. */
  async send(route: string, options: SendOptions = {}): Promise<PlatformResponse> {
    const [method, path] = await this.#resolve(await this.resources.fill(route));
    sentRoutes.add(`${method} ${path}`.replace(/\?.*$/s, ''));
    sentRoutes.add(route.replace(/[ ?].*$/s, ''));
    const { baseUrl, apiKey } = this.#target;
    const body =
      options.raw ??
      (options.body === undefined
        ? undefined
        : JSON.stringify(await this.resources.fill(options.body)));
    const key = options.key === undefined ? apiKey : options.key;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(requestMs),
      headers: {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('application/json');
    const answer: PlatformResponse = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
    if (answer.status >= 400) checkRefusal(`${method} ${path}`, answer);
    else if (method === 'POST') this.#remember(path, answer.body);
    return answer;
  }

  /** Sends a request and checks what the row expects. */
  async meets(route: string, options: SendOptions, expected: Expected): Promise<PlatformResponse> {
    const answer = await this.send(route, options);
    const context = `${route}: ${answer.text.slice(0, 2000)}`;
    expect(among(expected.status), context).toContain(answer.status);
    if (expected.code !== undefined) {
      const { error } = ErrorEnvelope.parse(answer.body);
      expect(among(expected.code), context).toContain(error.code);
    }
    if (expected.shape) this.conforms(expected.shape, answer.body, context);
    if (expected.like)
      expect(answer.body, context).toMatchObject(await this.resources.fill(expected.like));
    return answer;
  }

  /** Sends a request that must succeed with this body schema. */
  async ok<T extends z.ZodType>(route: string, shape: T, body?: unknown): Promise<z.output<T>> {
    const answer = await this.send(route, { body });
    expect(answer.status, `${route}: ${answer.text}`).toBeLessThan(300);
    return this.conforms(shape, answer.body, `${route}: ${answer.text.slice(0, 2000)}`);
  }

  /** Sends a request that must be refused with this code. @returns the error message */
  async refused(route: string, expected: Expected, options: SendOptions = {}): Promise<string> {
    const answer = await this.meets(route, options, expected);
    return ErrorEnvelope.parse(answer.body).error.message;
  }

  /**
   * Checks the body against the documented schema. A live platform may have gained fields since; the sandbox must not.
   */
  conforms<T extends z.ZodType>(shape: T, body: unknown, context: string): z.output<T> {
    const parsed = shape.safeParse(body);
    if (parsed.success) return parsed.data;
    const issues = parsed.error.issues.filter(
      ({ code }) => this.#target.pass !== undefined || code !== 'unrecognized_keys',
    );
    expect(issues, context).toEqual([]);
    // Unknown fields are the only issues left, so the body has the documented fields and more.
    return body as z.output<T>;
  }

  /** Uploads a file to a signed URL, without API key. */
  async put(uploadUrl: string, bytes: Uint8Array, contentType = 'model/gltf-binary') {
    const response = await fetch(uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': contentType },
      body: Buffer.from(bytes),
      signal: AbortSignal.timeout(requestMs),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Downloads a file from a URL of the platform. */
  async file(url: string): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
    const response = await fetch(url, { signal: AbortSignal.timeout(requestMs) });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  }

  /** Advances the clock of a sandbox. */
  async advance(seconds: number): Promise<void> {
    await (this.#target.pass ?? ((wait) => sleep(wait * 1000)))(seconds);
  }

  /** Polls until the response passes the check. */
  async until<T>(
    look: () => Promise<T>,
    isDone: (value: T) => boolean,
    stepSeconds = 2,
  ): Promise<T> {
    let last = await look();
    for (let waited = 0; !isDone(last) && waited < patienceSeconds; waited += stepSeconds) {
      await this.advance(stepSeconds);
      last = await look();
    }
    expect(isDone(last), `never came: ${JSON.stringify(last)}`).toBe(true);
    return last;
  }

  /** Runs a function when the row has ended. */
  afterRow(task: () => Promise<unknown>): void {
    this.#tasks.push(task);
  }

  async endRow(): Promise<void> {
    for (const task of this.#tasks.splice(0)) await task();
  }

  /** Deletes what the suite has created. */
  async cleanUp(): Promise<void> {
    for (const path of this.#made) await this.send(`DELETE ${path}`);
    this.#made.clear();
  }

  async #resolve(route: string): Promise<[method: string, path: string]> {
    const shown = route.startsWith('@') ? await this.openApi.routeOf(route.slice(1)) : route;
    const [method = 'GET', path = ''] = shown.split(' ');
    return [method, path];
  }

  #remember(path: string, body: unknown): void {
    const made = Made.safeParse(body).data ?? {};
    const { models = [], projects = [], props = [], decals = [] } = made;
    if (path === '/models' || path === '/jobs') {
      for (const { modelId, id } of models) this.#made.add(`/models/${modelId ?? id}`);
    }
    if (path === '/models/import') this.#made.add(`/models/${made.modelId}`);
    if (path === '/projects')
      for (const { projectId } of projects) this.#made.add(`/projects/${projectId}`);
    if (path === '/props') for (const { propId } of props) this.#made.add(`/props/${propId}`);
    if (path === '/decals') for (const { decalId } of decals) this.#made.add(`/decals/${decalId}`);
    if (path === '/materials') this.#made.add(`/materials/${made.materialId}`);
    if (path === '/materials/pantone') this.#made.add(`/materials/${made.id}`);
  }
}

const Made = z.object({
  id: z.string().optional(),
  modelId: z.string().optional(),
  materialId: z.string().optional(),
  models: z
    .array(z.object({ modelId: z.string().optional(), id: z.string().optional() }))
    .optional(),
  projects: z.array(z.object({ projectId: z.string() })).optional(),
  props: z.array(z.object({ propId: z.string().optional() })).optional(),
  decals: z.array(z.object({ decalId: z.string().optional() })).optional(),
});

function checkRefusal(route: string, answer: PlatformResponse): void {
  const context = `${route}: ${answer.status} ${answer.text.slice(0, 500)}`;
  expect(answer.headers.get('content-type'), context).toContain('application/json');
  const { error } = ErrorEnvelope.parse(answer.body);
  expect(Object.keys(codes), context).toContain(error.code);
  expect(codes[error.code], context).toBe(answer.status);
}

const among = <T>(value: T | readonly T[]): readonly T[] =>
  Array.isArray(value) ? value : [value as T];
