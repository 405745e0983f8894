// The HTTP server: real sockets, large and truncated bodies, ports.
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunningSandbox } from '../../../../src/sandbox/interface.ts';
import { startSandbox } from '../../src/server/server.ts';
import { triangleGlb } from '../_test-sandbox.ts';

let sandbox: RunningSandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0 });
});
afterEach(() => sandbox.stop());

async function call<T>(route: string, body?: unknown): Promise<{ status: number; body: T }> {
  const [method = 'GET', path = ''] = route.split(' ');
  const response = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

interface Created {
  models: [{ modelId: string; uploadUrl: string }];
}

async function create() {
  const { body } = await call<Created>('POST /models', { models: [{ fileType: 'glb' }] });
  return body.models[0];
}

async function statusOf(modelId: string) {
  return (await call<{ status: string }>(`GET /models/${modelId}`)).body.status;
}

describe('addresses', () => {
  test('the root address is on loopback and ends with /api/v1', () => {
    expect(sandbox.url).toBe(`${sandbox.origin}/api/v1`);
    expect(new URL(sandbox.url).hostname).toBe('127.0.0.1');
  });

  test('links contain the host name that the client used', async () => {
    const url = sandbox.url.replace('127.0.0.1', 'localhost');
    const response = await fetch(`${url}/models`, {
      method: 'POST',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ models: [{ fileType: 'glb' }] }),
    });
    const { models } = (await response.json()) as Created;
    expect(new URL(models[0].uploadUrl).hostname).toBe('localhost');
  });

  test('a port in use is an error', async () => {
    const port = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ port })).rejects.toThrow(/EADDRINUSE/);
  });
});

describe('uploads', () => {
  test('uploads can be sent in chunks, without Content-Length', async () => {
    const { modelId, uploadUrl } = await create();
    const glb = triangleGlb();
    const pieces = [glb.subarray(0, 100), glb.subarray(100, 101), glb.subarray(101)];
    const response = await fetch(uploadUrl, {
      method: 'PUT',
      body: Readable.toWeb(Readable.from(pieces)) as ReadableStream,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(200);
    const file = await fetch(`${sandbox.origin}/cdn/models/${modelId}/source.glb`);
    expect(Buffer.from(await file.arrayBuffer()).equals(glb)).toBe(true);
  });

  test('uploads can be several megabytes large', async () => {
    const { modelId, uploadUrl } = await create();
    const bytes = Buffer.alloc(5 * 1024 * 1024, 'renderline');
    expect((await fetch(uploadUrl, { method: 'PUT', body: bytes })).status).toBe(200);
    const file = await fetch(`${sandbox.origin}/cdn/models/${modelId}/source.glb`);
    expect(file.headers.get('content-length')).toBe(String(bytes.length));
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    const head = await fetch(`${sandbox.origin}/cdn/models/${modelId}/source.glb`, {
      method: 'HEAD',
    });
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
  });

  test('uploads that are interrupted store no file', async () => {
    const { modelId, uploadUrl } = await create();
    const { port, pathname, search } = new URL(uploadUrl);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf`,
    );
    await new Promise<void>((written) => socket.end(() => written()));
    socket.destroy();
    // The server still responds, and the model still waits for its file.
    await vi.waitUntil(async () => (await statusOf(modelId)) === 'PENDING', { interval: 5 });
    expect((await fetch(uploadUrl, { method: 'PUT', body: triangleGlb() })).status).toBe(200);
    expect(await statusOf(modelId)).toBe('ANALYZING');
  });
});

test('fifty concurrent requests each get their own response', async () => {
  const models = Array.from({ length: 50 }, (_, index) => ({ fileType: 'glb', name: `m${index}` }));
  const { body } = await call<{ models: { modelId: string }[] }>('POST /models', { models });
  const answers = await Promise.all(
    body.models.map(({ modelId }) => call<{ name: string }>(`GET /models/${modelId}`)),
  );
  expect(answers.map((answer) => answer.body.name)).toEqual(models.map(({ name }) => name));
});
