// The object storage: signed PUTs and GETs, and an open CDN, all without an API key.

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { contentTypeOf } from 'renderline/api/content-types';
import type { Sandbox } from '../context/sandbox.ts';
import type { Env } from '../http/env.ts';
import { parseRange } from '../http/parse-range.ts';
import { UploadLengthError } from '../state/files.ts';
import { findFile, findUploadTarget } from './storage-locations.ts';

/** Files up to this size are sent from memory. */
const wholeBytes = 1024 * 1024;

/** Creates the routes of storage and CDN, to mount at the root of the server. */
export function createStorageRoutes(sandbox: Sandbox): Hono<Env> {
  const app = new Hono<Env>();
  const { stats } = sandbox;
  app.on(['GET', 'PUT', 'HEAD'], ['/storage/*', '/cdn/*'], async (c, next) => {
    // A client that sends its API key to storage leaks the key. The statistics show requests that do so.
    if (c.req.header('x-api-key') !== undefined) stats.count('keySentToStorage');
    await next();
  });
  app.all(
    '/storage/upload/*',
    (c) => findLinkRefusal(c, sandbox, 'PUT') ?? receiveUpload(c, sandbox),
  );
  app.all(
    '/storage/download/*',
    (c) => findLinkRefusal(c, sandbox, 'GET') ?? send(c, sandbox, '/storage/download/'),
  );
  app.get('/cdn/*', (c) => send(c, sandbox, '/cdn/'));
  return app;
}

function findLinkRefusal(c: Context<Env>, sandbox: Sandbox, method: string): Response | undefined {
  const url = new URL(c.req.url);
  const problem =
    c.req.method === method
      ? sandbox.links.check(method, url.pathname, url.searchParams, sandbox.options.clock())
      : 'signature';
  if (problem === 'expired') return c.text('AccessDenied: the link has expired', 403);
  if (problem)
    return c.text('SignatureDoesNotMatch: the signature does not match this request', 403);
  return undefined;
}

async function receiveUpload(c: Context<Env>, sandbox: Sandbox): Promise<Response> {
  const key = new URL(c.req.url).pathname.slice('/storage/upload/'.length);
  const target = findUploadTarget(sandbox, key);
  if (!target) return c.text('NoSuchKey: the resource of this link was deleted', 404);
  const { status, message = 'Injected by a fault rule.' } = sandbox.faults.faultFor(
    'upload',
    target.name,
  );
  if (status !== undefined) return new Response(`AccessDenied: ${message}`, { status });
  const { contentType } = target;
  if (contentType !== undefined && c.req.header('content-type') !== contentType) {
    // The Content-Type is part of the signature, so another or a missing type is refused.
    return c.text(`SignatureDoesNotMatch: Content-Type must be ${contentType}`, 403);
  }
  const length = c.req.header('content-length');
  try {
    const storedFile = await sandbox.files.write(
      key,
      bodyOf(c),
      length === undefined ? undefined : Number(length),
      sandbox.limits.values.modelFileBytes,
    );
    await target.recordFile(storedFile);
  } catch (error) {
    if (error instanceof UploadLengthError || isUploadCut(c)) return c.text('IncompleteBody', 400);
    throw error;
  }
  return c.body(null, 200);
}

/** True if the client closed the connection before its body was complete. */
function isUploadCut(c: Context<Env>): boolean {
  const incoming = c.env?.incoming;
  return incoming !== undefined && incoming.destroyed && !incoming.complete;
}

function bodyOf(c: Context<Env>): AsyncIterable<Uint8Array> {
  // Node's own stream is much cheaper than the web stream around it.
  if (c.env?.incoming) return c.env.incoming;
  return c.req.raw.body ? Readable.fromWeb(c.req.raw.body as never) : Readable.from([]);
}

async function send(c: Context<Env>, sandbox: Sandbox, prefix: string): Promise<Response> {
  const key = new URL(c.req.url).pathname.slice(prefix.length);
  const file = await findFile(sandbox, key, prefix !== '/cdn/');
  if (!file) return c.text('NoSuchKey: the file does not exist', 404);
  const range = parseRange(c.req.header('range'), file.bytes);
  if (range === 'unsatisfiable') {
    return c.body(null, 416, { 'content-range': `bytes */${file.bytes}` });
  }
  const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
  const headers = {
    'content-type': contentTypeOf(key.slice(key.lastIndexOf('.') + 1)),
    'content-length': String(last - first + 1),
    // Safari plays a video only if the server supports range requests.
    'accept-ranges': 'bytes',
    ...(range ? { 'content-range': `bytes ${first}-${last}/${file.bytes}` } : {}),
    // The policy is strict, because an uploaded SVG that is opened directly must not act as a page of this server.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    ...(file.attachment === undefined
      ? {}
      : { 'content-disposition': `attachment; filename="${file.attachment}"` }),
  };
  const status = range ? 206 : 200;
  if (c.req.method === 'HEAD') return c.body(null, status, headers);
  if (!range && file.bytes <= wholeBytes) {
    return c.body(new Uint8Array(await readFile(file.path)), status, headers);
  }
  const stream = createReadStream(file.path, { start: first, end: last });
  return c.body(Readable.toWeb(stream) as ReadableStream, status, headers);
}
