// A proxy in front of a sandbox that injects storage faults.

import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Lane } from '../system/_lane.ts';
import { joined } from '../system/_runs.ts';
import type { Env } from '../system/_stack.ts';

/** Sends a faulty download, given the file's bytes; null sends the file unchanged. */
export type DownloadFault = ((response: ServerResponse, bytes: Buffer) => unknown) | null;

export interface FileProxy {
  /** API root, like that of the sandbox. */
  url: string;
  /** Chooses the fault by the file's path and the number of its downloads, from 1. */
  chooseFault: (path: string, times: number) => DownloadFault;
  /** Number of downloads by path. */
  readonly downloadCounts: ReadonlyMap<string, number>;
  /** Forwards this many uploads and holds all others until `releaseUploads`. */
  holdUploadsAfter(count: number): void;
  readonly heldUploads: number;
  /** Number of uploads by URL path, complete or not. */
  readonly uploadCounts: ReadonlyMap<string, number>;
  releaseUploads(): void;
  close(): Promise<void>;
}

export const truncateAt = (
  share: number,
  end: (response: ServerResponse) => unknown,
): DownloadFault => {
  return (response, bytes) => {
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, Math.ceil(bytes.length * share)), () => end(response));
  };
};

/** Resets the connection when the client has read half of the bytes, which causes ECONNRESET. */
export const resetConnection: DownloadFault = truncateAt(0.5, (response) =>
  setTimeout(() => response.socket?.resetAndDestroy(), 20),
);
export const respondWithErrorPage: DownloadFault = (response) =>
  response.end('<html>502 Bad Gateway</html>');

/** @param origin of the sandbox */
export async function openFileProxy(origin: string): Promise<FileProxy> {
  const asked = new Map<string, number>();
  let uploadsLeft = Number.POSITIVE_INFINITY;
  let heldUploads = 0;
  const sent = new Map<string, number>();
  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    const path = incoming.url ?? '/';
    if (incoming.method === 'PUT') {
      const file = path.replace(/\?.*$/, '');
      sent.set(file, (sent.get(file) ?? 0) + 1);
      uploadsLeft -= 1;
      // A held upload is neither read nor answered.
      if (uploadsLeft < 0) {
        heldUploads += 1;
        return;
      }
    }
    pass(incoming, origin, response, (answer) => {
      if (!path.startsWith('/cdn/')) return null;
      const times = (asked.get(path) ?? 0) + 1;
      asked.set(path, times);
      return answer.statusCode === 200 ? proxy.chooseFault(path, times) : null;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: FileProxy = {
    url: `http://127.0.0.1:${port}/api/v1`,
    chooseFault: () => null,
    downloadCounts: asked,
    uploadCounts: sent,
    holdUploadsAfter(count) {
      uploadsLeft = count;
    },
    get heldUploads() {
      return heldUploads;
    },
    releaseUploads() {
      uploadsLeft = Number.POSITIVE_INFINITY;
      proxy.chooseFault = () => null;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** A proxy in front of the lane's sandbox, with its own worker. */
export async function behindProxy(
  { sandbox }: Lane,
  temporal: Env,
): Promise<{ proxy: FileProxy; env: Env }> {
  const proxy = await openFileProxy(sandbox.origin);
  onTestFinished(() => proxy.close());
  return { proxy, env: joined(temporal, sandbox.env, { RENDERLINE_BASE_URL: proxy.url }) };
}

/** Renderline's temporary files below these folders. */
export async function temporaryFiles(...folders: string[]): Promise<string[]> {
  const lists = folders.map(async (folder) => {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    return names.filter((name) => /\.rl-.*\.tmp$/.test(name));
  });
  return (await Promise.all(lists)).flat();
}

/** Keeps the client's Host header, from which the sandbox makes the URLs of files. */
function pass(
  incoming: IncomingMessage,
  origin: string,
  response: ServerResponse,
  fateOf: (answer: IncomingMessage) => DownloadFault,
): void {
  const { method = 'GET', url = '/', headers } = incoming;
  const onward = request(new URL(url, origin), { method, headers }, (answer) => {
    const fate = fateOf(answer);
    if (fate === null) {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      return;
    }
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => fate(response, Buffer.concat(chunks)));
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}
