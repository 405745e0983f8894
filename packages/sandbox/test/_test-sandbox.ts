// Sandboxes for tests. They run in this process, and only the test advances their clock.

import type { SandboxOptions } from '../../../src/sandbox/interface.ts';
import { makeGlb } from '../../../test/glb/_make-glb.ts';
import { createSandboxApp, type SandboxApp } from '../src/server/app.ts';

export const startMs = Date.UTC(2026, 0, 2, 3, 4, 5);

export interface TestResponse<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
  readonly text: string;
  readonly headers: Headers;
}

/** A sandbox under test with its own clock. */
export class TestSandbox {
  now = startMs;
  readonly sandbox: SandboxApp;

  constructor(options: SandboxOptions = {}) {
    this.sandbox = createSandboxApp({
      seed: 1,
      pictureScale: 0,
      rateLimit: 0,
      clock: () => this.now,
      ...options,
    });
  }

  get apiKey(): string {
    return this.sandbox.apiKey;
  }

  /** Advances the clock. */
  advance(seconds: number): void {
    this.now += seconds * 1000;
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    return this.sandbox.app.request(path, init);
  }

  /** Sends an API request with the key. A string body is sent unchanged. */
  async call<T = Record<string, unknown>>(
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestResponse<T>> {
    const [method = 'GET', path = ''] = route.split(' ');
    const response = await this.request(`/api/v1${path}`, {
      method,
      headers: {
        'x-api-key': this.apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      body: (isJson ? JSON.parse(text) : {}) as T,
      text,
      headers: response.headers,
    };
  }

  async control<T = Record<string, unknown>>(path: string, body?: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body), headers };
    const response = await this.request(`/_sandbox${path}`, init);
    return (await response.json()) as T;
  }

  async put(uploadUrl: string, bytes: Uint8Array, contentType?: string): Promise<Response> {
    return this.request(uploadUrl, {
      method: 'PUT',
      body: Buffer.from(bytes),
      headers: {
        'content-length': String(bytes.byteLength),
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
    });
  }
}

/** The smallest valid GLB: one triangle. It has variants if names are given. */
export function triangleGlb(
  variants: readonly string[] = [],
  note = '',
  rotation?: readonly number[],
): Buffer {
  const positions = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  const json = {
    asset: { version: '2.0', extras: { note } },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, ...(rotation && { rotation }) }],
    materials: [{ name: 'body' }, { name: 'other' }],
    meshes: [
      {
        primitives: [
          {
            attributes: { POSITION: 0 },
            material: 0,
            ...(variants.length > 0
              ? {
                  extensions: {
                    KHR_materials_variants: {
                      mappings: [{ material: 1, variants: variants.map((_, index) => index) }],
                    },
                  },
                }
              : {}),
          },
        ],
      },
    ],
    accessors: [
      {
        bufferView: 0,
        componentType: 5126,
        count: 3,
        type: 'VEC3',
        min: [0, 0, 0],
        max: [1, 1, 0],
      },
    ],
    bufferViews: [{ buffer: 0, byteLength: positions.length }],
    buffers: [{ byteLength: positions.length }],
    ...(variants.length > 0
      ? {
          extensionsUsed: ['KHR_materials_variants'],
          extensions: { KHR_materials_variants: { variants: variants.map((name) => ({ name })) } },
        }
      : {}),
  };
  return makeGlb(json, positions);
}
