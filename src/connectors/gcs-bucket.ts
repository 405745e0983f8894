// A Google Cloud Storage bucket as a `Bucket`. `gcs.ts` imports this file, and with it Google's client, on first use.

import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bucket as GoogleBucket, Storage } from '@google-cloud/storage';
import { request } from 'undici';
import { z } from 'zod';
import { createTimeoutSignal } from '../api/abort.ts';
import { computeBackoffMs } from '../api/errors/retry.ts';
import { createHttpAgent } from '../api/network/http-agents.ts';
import { createGuardedLookup } from '../api/network/network-guard.ts';
import { findProxy, proxyVariables } from '../api/network/proxy.ts';
import { readStart } from '../api/network/transfer-agent.ts';
import { JsonBoundsError, parseJson, tryParseJson } from '../api/responses/bounded-json.ts';
import { asRecord } from '../api/unknown-values.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { boundedBody } from './bucket/bounded-response.ts';
import {
  type Bucket,
  type ByteRange,
  parseTotalBytes,
  resolveConflict,
  type StoredObject,
  sendFile,
} from './bucket/bucket.ts';
import { requestTimes, smallRequestMs } from './bucket/request-times.ts';
import { createListingError, diagnoseNetworkError } from './bucket/store-errors.ts';
import type { TransferOptions } from './connector.ts';
import { findGcsStatus, isGcsMissing, NoBucketError } from './gcs-errors.ts';
import type { FilledFile } from './staging.ts';

export interface GcsAccess {
  bucket: string;
  endpoint: string | undefined;
  /** Path of a service account's key. */
  keyFile: string | undefined;
}

const pageObjects = 1_000;

export function openGcsBucket({ bucket, endpoint, keyFile }: GcsAccess): Bucket {
  const storage = new Storage({
    ...omitUndefined({ apiEndpoint: endpoint }),
    ...(keyFile === undefined ? {} : { keyFilename: keyFile, useAuthWithCustomEndpoint: true }),
    retryOptions: { autoRetry: true, maxRetries: requestTimes.attempts - 1, totalTimeout: 60 },
    timeout: requestTimes.idleMs,
  });
  storage.interceptors.push({
    request: (options) => {
      const uri = 'uri' in options ? options.uri : options.url;
      return {
        ...options,
        uri,
        forever: true,
        ...createConnectionOptions(new URL(String(uri)), options.pool),
      };
    },
  });
  // An endpoint without a key is an emulator, or a proxy that adds its own credentials.
  return new GcsBucket(storage.bucket(bucket), endpoint !== undefined && keyFile === undefined);
}

/**
 * Creates connection options for a request: our proxy or DNS lookup. The client creates its own agents once per process
 * and passes the pool options to them. It also looks for proxies itself but supports NO_PROXY less well, so the origin
 * of a direct connection is added to NO_PROXY.
 */
function createConnectionOptions(
  url: URL,
  pool: object | undefined,
): { proxy: string } | { pool: object } {
  const proxy = findProxy(url);
  if (proxy !== null) return { proxy: proxy.url.href };
  const noProxy = process.env['NO_PROXY'] ?? process.env['no_proxy'] ?? '';
  const hasProxy = proxyVariables.some((name) => process.env[name]);
  if (hasProxy && !noProxy.split(',').includes(url.origin)) {
    process.env['NO_PROXY'] = [noProxy, url.origin].filter((part) => part !== '').join(',');
  }
  return { pool: { ...pool, lookup: createGuardedLookup('any') } };
}

class GcsBucket implements Bucket {
  readonly #bucket: GoogleBucket;
  readonly #anonymous: boolean;
  readonly #connections = createHttpAgent('any');
  #isKnown = false;

  constructor(bucket: GoogleBucket, anonymous: boolean) {
    this.#bucket = bucket;
    this.#anonymous = anonymous;
  }

  async *list(
    prefix: string,
    signal: AbortSignal | undefined,
    cursor?: string,
  ): AsyncGenerator<StoredObject[]> {
    for (let token: string | undefined = ''; token !== undefined; ) {
      const query = {
        prefix,
        ...omitUndefined({ startOffset: cursor }),
        ...(token === '' ? {} : { pageToken: token }),
      };
      const page = await this.#page(query, { signal });
      yield page.objects;
      token = page.next;
    }
  }

  async head(name: string): Promise<StoredObject | null> {
    try {
      const [metadata] = await this.#bucket.file(name).getMetadata();
      this.#isKnown = true;
      return objectOf(name, metadata);
    } catch (error) {
      if (!isGcsMissing(error)) throw error;
      await this.#assertExists();
      return null;
    }
  }

  /** Sends our own request, because aborting the client's stream breaks the connections of other transfers. */
  async get(name: string, range: ByteRange | null, signal: AbortSignal | undefined) {
    const last = range && range.offset + range.length - 1;
    const rangeHeader = range ? { range: `bytes=${range.offset}-${last}` } : {};
    // Otherwise, the store unpacks an object with the content encoding gzip and ignores the range, so that the bytes
    // do not fit the size of the object.
    const extraHeaders = { 'accept-encoding': 'gzip', ...rangeHeader };
    try {
      const path = `/${encodeURIComponent(name)}?alt=media`;
      const { headers, body } = await this.#request(path, extraHeaders, signal);
      return { object: objectOfHeaders(name, headers), body };
    } catch (error) {
      if (isGcsMissing(error)) await this.#assertExists();
      // An emulator's response to a request for content may look like a proxy's, but not its metadata.
      else if (findGcsStatus(error) === 404 && (await this.head(name)) === null)
        throw Object.assign(new Error('no such object'), {
          errors: [{ reason: 'notFound' }],
          code: 404,
        });
      throw error;
    }
  }

  async put(name: string, bytes: Uint8Array, ifAbsent: boolean): Promise<'written' | 'exists'> {
    let attempts = 0;
    try {
      await this.#bucket.file(name).save(Buffer.from(bytes), {
        resumable: false,
        validation: false,
        // The callback counts attempts, because each attempt reports exactly once that all bytes have been sent.
        onUploadProgress: ({ bytesWritten }: { bytesWritten: number }) => {
          if (bytesWritten === bytes.length) attempts += 1;
        },
        ...(ifAbsent ? { preconditionOpts: { ifGenerationMatch: 0 } } : {}),
      });
      return 'written';
    } catch (error) {
      if (!ifAbsent || findGcsStatus(error) !== 412) throw toBucketError(error);
      return await resolveConflict(this, name, bytes, attempts);
    }
  }

  async putFile(name: string, file: FilledFile, options: TransferOptions) {
    await sendFile(file, options, async ({ stream, signal }) => {
      const blob = this.#bucket.file(name);
      const target = blob.createWriteStream({ resumable: false, validation: false });
      await pipeline(stream(), target, { signal }).catch((error: unknown) => {
        throw toBucketError(error);
      });
    });
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#bucket.file(name).delete();
    } catch (error) {
      if (!isGcsMissing(error)) throw error;
      await this.#assertExists();
    }
  }

  /** Reads a page of a listing. Sends our own request, because the client reads and parses responses of any length. */
  async #page(
    query: Readonly<Record<string, string>>,
    { objects = pageObjects, signal }: { objects?: number; signal?: AbortSignal | undefined },
  ) {
    const path = `?${new URLSearchParams({ ...query, maxResults: String(objects) }).toString()}`;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { body } = await this.#request(path, {}, createTimeoutSignal(smallRequestMs, signal));
        return pageOf((await buffer(boundedBody(body, false))).toString('utf8'));
      } catch (error) {
        if (attempt === requestTimes.attempts || !isTransientError(error))
          throw toBucketError(error);
        await delay(computeBackoffMs(attempt), undefined, omitUndefined({ signal }));
      }
    }
  }

  /** Sends a request. @param path relative to the bucket's objects @throws an error with status and reasons */
  async #request(
    path: string,
    extraHeaders: Record<string, string>,
    signal: AbortSignal | undefined,
  ) {
    const { storage } = this.#bucket;
    const url = new URL(`/storage/v1/b/${this.#bucket.name}/o${path}`, storage.apiEndpoint);
    const authHeaders = this.#anonymous ? {} : await storage.authClient.getRequestHeaders(url.href);
    const response = await request(url, {
      dispatcher: this.#connections,
      headers: { ...authHeaders, ...extraHeaders },
      headersTimeout: requestTimes.idleMs,
      bodyTimeout: requestTimes.idleMs,
      signal: signal ?? null,
    });
    if (response.statusCode < 300) {
      this.#isKnown = true;
      return response;
    }
    const text = await readStart(response.body).catch(() => '');
    const responseBody = asRecord(tryParseJson(text));
    throw Object.assign(new Error('the response is an error'), {
      code: response.statusCode,
      errors: asRecord(responseBody['error'])['errors'],
      response: { body: responseBody, headers: response.headers },
    });
  }

  /** Throws if the bucket does not exist. A 404 alone does not show whether the object or the bucket is missing. */
  async #assertExists(): Promise<void> {
    if (this.#isKnown) return;
    await this.#page({}, { objects: 1 });
  }
}

/** Converts a 404 of a listing or a write, which means that the bucket is missing. Returns other errors unchanged. */
function toBucketError(error: unknown): unknown {
  return isGcsMissing(error) ? new NoBucketError('no such bucket') : error;
}

function isTransientError(error: unknown): boolean {
  const status = findGcsStatus(error);
  if (status === undefined) return diagnoseNetworkError(error)?.errorKind === 'unreachable';
  return status === 408 || status === 429 || status >= 500;
}

const Page = z
  .object({
    kind: z.string().optional(),
    items: z
      .array(
        z.object({
          name: z.string(),
          size: z.string().optional(),
          updated: z.string().optional(),
          generation: z.string().optional(),
        }),
      )
      .optional(),
    nextPageToken: z.string().optional(),
  })
  .refine(({ kind, items }) => kind === 'storage#objects' || items !== undefined);

/** @throws ConnectorError for another response */
function pageOf(text: string) {
  const { items = [], nextPageToken } = parsePage(text);
  return { objects: items.map((item) => objectOf(item.name, item)), next: nextPageToken };
}

function parsePage(text: string) {
  try {
    return Page.parse(parseJson(text));
  } catch (error) {
    const reason = error instanceof JsonBoundsError ? `: ${error.message}` : '';
    throw createListingError(`a response from the store is not a listing${reason}`);
  }
}

interface Metadata {
  size?: string | number | undefined;
  updated?: string | undefined;
  generation?: string | number | undefined;
}

function objectOf(name: string, { size = 0, updated, generation = '' }: Metadata): StoredObject {
  return { name, bytes: Number(size), mtimeMs: secondsOf(updated), etag: String(generation) };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function objectOfHeaders(name: string, headers: Headers): StoredObject {
  const textOf = (field: string) => headers[field]?.toString();
  const total = parseTotalBytes(textOf('content-range'));
  const bytes = total ?? textOf('x-goog-stored-content-length') ?? textOf('content-length');
  return {
    name,
    bytes: Number(bytes ?? 0),
    mtimeMs: secondsOf(textOf('last-modified')),
    etag: textOf('x-goog-generation') ?? '',
  };
}

/** Parses a time to epoch ms, rounded down to seconds, the precision of the headers. Returns 0 if it is absent. */
function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.trunc(Date.parse(time) / 1_000) * 1_000;
}
