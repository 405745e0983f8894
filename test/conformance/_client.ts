// How the conformance suite speaks to a platform: plain requests, answers checked by the contract.
import { expect, vi } from 'vitest';
import type { z } from 'zod';
import { type OperationId, operations } from '../../src/api/operations/index.ts';
import { ErrorEnvelope } from '../../src/api/schemas.ts';

/** A platform to test: the sandbox, or a live one. Read when tests run, since servers start late. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

type BodyOf<Id extends OperationId> = (typeof operations)[Id]['response'] extends infer S extends
  z.ZodType
  ? z.output<S>
  : never;

export interface SendOptions {
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly rawBody?: string;
  readonly headers?: Record<string, string>;
  /** null sends no key. */
  readonly key?: string | null;
}

const requestMs = 30_000;

export class Client {
  readonly #target: () => Target;
  readonly #ids = new Set<string>();

  constructor(target: () => Target) {
    this.#target = target;
  }

  get baseUrl(): string {
    return this.#target().baseUrl;
  }

  /** Sends `METHOD /path`; a JSON answer is parsed. */
  async send<T = unknown>(route: string, options: SendOptions = {}): Promise<Answer<T>> {
    const [method = 'GET', path = ''] = route.split(' ');
    const { baseUrl, apiKey } = this.#target();
    const body =
      options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
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
    const json = response.headers.get('content-type')?.includes('application/json');
    const parsed = (json ? JSON.parse(text) : undefined) as T;
    return { status: response.status, headers: response.headers, text, body: parsed };
  }

  /** A call that must succeed with the row's status and shape. */
  async ok<Id extends OperationId>(id: Id, route: string, body?: unknown): Promise<BodyOf<Id>> {
    const answer = await this.send(route, { body });
    const { status, response } = operations[id];
    expect(answer.status, `${route}: ${answer.text}`).toBe(status);
    if (response === 'redirect') throw new Error(`${id} answers with a redirect; use send`);
    return response.parse(answer.body) as BodyOf<Id>;
  }

  /** A call that must be refused with this code, in the envelope, with a message for people. */
  async refused(route: string, expected: Refusal, options: SendOptions = {}): Promise<void> {
    await this.refusal(route, expected, options);
  }

  /** The same, for what the message says. */
  async refusal(route: string, expected: Refusal, options: SendOptions = {}): Promise<string> {
    const answer = await this.send(route, options);
    expect(answer.headers.get('content-type'), route).toContain('application/json');
    const { error } = ErrorEnvelope.parse(answer.body);
    expect([answer.status, error.code], `${route}: ${error.message}`).toEqual(expected);
    expect(error.message).not.toBe('');
    return error.message;
  }

  /** PUTs a file to a signed address: no API key, success is an empty 200. */
  async upload(uploadUrl: string, bytes: Uint8Array): Promise<void> {
    const response = await fetch(uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': 'model/gltf-binary' },
      body: Buffer.from(bytes),
      signal: AbortSignal.timeout(requestMs),
    });
    expect([response.status, await response.text()]).toEqual([200, '']);
  }

  /** Remembers what a test made, to delete it afterwards. */
  made(path: string): void {
    this.#ids.add(path);
  }

  async deleteAll(): Promise<void> {
    for (const path of this.#ids) await this.send(`DELETE ${path}`);
    this.#ids.clear();
  }
}

export type Refusal = readonly [status: number, code: string];

/** A GUID-like id that no workspace has. */
export const absentId = '00000000-0000-4000-8000-000000000000';

/** Waits until a look has the answer; the pace suits a real platform, and its rate limit, too. */
export async function eventually<T>(
  look: () => Promise<T>,
  done: (value: T) => boolean,
  patienceMs: number,
): Promise<T> {
  let last: T | undefined;
  await vi.waitUntil(
    async () => {
      last = await look();
      return done(last);
    },
    { timeout: patienceMs, interval: Math.min(1000, patienceMs / 200) },
  );
  return last as T;
}
