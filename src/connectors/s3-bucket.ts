// An S3 bucket as a `Bucket`. `s3.ts` imports this file, and with it AWS's client, on first use.
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { callOnAbort, createTimeoutSignal } from '../api/abort.ts';
import { createNodeAgents } from '../api/network/http-agents.ts';
import { asRecord } from '../api/unknown-values.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { boundedBody } from './bucket/bounded-response.ts';
import {
  type Bucket,
  type ByteRange,
  computePartBytes,
  parseTotalBytes,
  resolveConflict,
  type StoredObject,
  sendFile,
  type UploadSizes,
  uploadSizes,
} from './bucket/bucket.ts';
import { requestTimes, smallRequestMs } from './bucket/request-times.ts';
import { createListingError } from './bucket/store-errors.ts';
import type { TransferOptions } from './connector.ts';
import type { FilledFile } from './staging.ts';

/** The validated fields of `s3.ts`. */
export interface S3Spec {
  bucket: string;
  region: string | undefined;
  endpoint: string | undefined;
  pathStyle: boolean;
}

const ignore = () => undefined;
/** Keeps the client from logging, because it throws its problems as errors and stderr belongs to the user. */
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
/** Maximum number of attempts if S3 asks for a retry because two conditional writes to one key collided. */
const maxConflicts = 5;

export function openS3Bucket(spec: S3Spec, sizes = uploadSizes): Bucket {
  // Suppresses a warning about later versions of the client, which is pinned.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { http, https } = createNodeAgents();
  const client = new S3Client({
    ...omitUndefined({ region: spec.region, endpoint: spec.endpoint }),
    forcePathStyle: spec.pathStyle,
    followRegionRedirects: true,
    maxAttempts: requestTimes.attempts,
    logger: silent,
    // Optional checksums are switched off, because S3-compatible stores refuse checksums that S3 does not require.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: requestTimes.connectMs,
      socketTimeout: requestTimes.idleMs,
      // Agents, not agent options: given options, the client creates more agents for large objects, without our lookup.
      httpAgent: http,
      httpsAgent: https,
    },
  });
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const result = await next(request);
        boundResponse(result.response, commandName === 'GetObjectCommand');
        return result;
      },
    { step: 'deserialize', priority: 'low', name: 'boundAnswers' },
  );
  return new S3Bucket(spec.bucket, client, sizes);
}

/** Limits the size of a response. @param isObject true if a success is an object, whose size the caller limits */
function boundResponse(response: unknown, isObject: boolean): void {
  const { statusCode, body } = asRecord(response);
  const isSuccess = typeof statusCode === 'number' && statusCode < 300;
  if (!(body instanceof Readable) || (isObject && isSuccess)) return;
  Object.assign(Object(response), { body: boundedBody(body, isSuccess) });
}

class S3Bucket implements Bucket {
  readonly #bucket: string;
  readonly #client: S3Client;
  readonly #sizes: UploadSizes;
  #isKnown = false;

  constructor(bucket: string, client: S3Client, sizes: UploadSizes) {
    this.#bucket = bucket;
    this.#client = client;
    this.#sizes = sizes;
  }

  async *list(
    prefix: string,
    signal: AbortSignal | undefined,
    cursor?: string,
  ): AsyncGenerator<StoredObject[]> {
    for (let token: string | undefined = ''; token !== undefined; ) {
      const list: ListObjectsV2Command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: prefix,
        EncodingType: 'url',
        ...omitUndefined({ StartAfter: cursor }),
        ...(token === '' ? {} : { ContinuationToken: token }),
      });
      // Each page has a timeout of its own.
      const abortSignal = createTimeoutSignal(smallRequestMs, signal);
      const page = await this.#client.send(list, { abortSignal });
      const { Name, IsTruncated, Contents, EncodingType, NextContinuationToken = '' } = page;
      // The client does not check the structure of a response, so a web page would look like an empty folder.
      if ((Name ?? IsTruncated ?? Contents) === undefined)
        throw createListingError('a response from the store is not a listing');
      // A store that knows only the first version of this operation returns no token.
      if (IsTruncated && NextContinuationToken === '')
        throw createListingError(
          'the store says that more objects follow, but not where they are (no NextContinuationToken)',
        );
      this.#isKnown = true;
      yield (Contents ?? []).map(({ Key = '', Size = 0, LastModified, ETag = '' }) => ({
        name: EncodingType === 'url' ? decodeKey(Key) : Key,
        bytes: Size,
        mtimeMs: LastModified?.getTime() ?? 0,
        etag: ETag,
      }));
      token = NextContinuationToken === '' ? undefined : NextContinuationToken;
    }
  }

  async head(name: string): Promise<StoredObject | null> {
    try {
      const head = new HeadObjectCommand({ Bucket: this.#bucket, Key: name });
      const response = await this.#client.send(head, {
        abortSignal: createTimeoutSignal(smallRequestMs),
      });
      this.#isKnown = true;
      return toObject(name, response.ContentLength, response);
    } catch (error) {
      if (nameOf(error) !== 'NotFound') throw error;
      if (this.#isKnown && isFromStore(error)) return null;
    }
    // A 404 without a body does not show whether the object or the bucket is missing, or whether a proxy has sent it.
    try {
      const signal = createTimeoutSignal(smallRequestMs);
      const { object, body } = await this.get(name, { offset: 0, length: 1 }, signal);
      body.on('error', ignore).destroy();
      return object;
    } catch (error) {
      if (nameOf(error) !== 'NoSuchKey') throw error;
      this.#isKnown = true;
      return null;
    }
  }

  async get(name: string, range: ByteRange | null, signal: AbortSignal | undefined) {
    const response = await this.#client.send(
      new GetObjectCommand({
        Bucket: this.#bucket,
        Key: name,
        ...(range ? { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` } : {}),
      }),
      signal ? { abortSignal: signal } : {},
    );
    const { Body, ContentRange, ContentLength } = response;
    if (!(Body instanceof Readable)) throw new TypeError('S3 returned no content for the file');
    const bytes = parseTotalBytes(ContentRange) ?? ContentLength;
    return { object: toObject(name, bytes, response), body: Body };
  }

  async put(name: string, bytes: Uint8Array, ifAbsent: boolean): Promise<'written' | 'exists'> {
    for (let conflicts = 1; ; conflicts += 1) {
      try {
        const put = new PutObjectCommand({
          Bucket: this.#bucket,
          Key: name,
          Body: bytes,
          ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
        });
        await this.#client.send(put, { abortSignal: createTimeoutSignal(smallRequestMs) });
        return 'written';
      } catch (error) {
        const errorName = nameOf(error);
        if (ifAbsent && errorName === 'PreconditionFailed') {
          return await resolveConflict(this, name, bytes, attemptsOf(error));
        }
        if (errorName !== 'ConditionalRequestConflict' || conflicts >= maxConflicts) throw error;
        await delay(50 * conflicts);
      }
    }
  }

  async putFile(name: string, file: FilledFile, options: TransferOptions) {
    const partSize = computePartBytes(file, this.#sizes);
    await sendFile(file, options, ({ stream, signal }) => {
      const Body = stream();
      const params = { Bucket: this.#bucket, Key: name, Body, ContentLength: file.bytes };
      if (partSize === undefined)
        return this.#client.send(new PutObjectCommand(params), { abortSignal: signal });
      const abortController = new AbortController();
      callOnAbort(signal, () => abortController.abort());
      const upload = { client: this.#client, params, partSize, queueSize: 1, abortController };
      return new Upload(upload).done();
    });
  }

  async remove(name: string): Promise<void> {
    const remove = new DeleteObjectCommand({ Bucket: this.#bucket, Key: name });
    await this.#client.send(remove, { abortSignal: createTimeoutSignal(smallRequestMs) });
  }
}

/** Decodes an object's name. Some stores wrongly claim to encode names, so a name that cannot be decoded is kept. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

function toObject(
  name: string,
  bytes: number | undefined,
  { LastModified, ETag = '' }: { LastModified?: Date | undefined; ETag?: string | undefined },
): StoredObject {
  return { name, bytes: bytes ?? 0, mtimeMs: LastModified?.getTime() ?? 0, etag: ETag };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** True for a response of Amazon or of another store that sends its headers. A proxy does not send them. */
function isFromStore(error: unknown): boolean {
  const { headers } = asRecord(asRecord(error)['$response']);
  return 'x-amz-request-id' in asRecord(headers);
}

function attemptsOf(error: unknown): number {
  const { attempts } = asRecord(asRecord(error)['$metadata']);
  return typeof attempts === 'number' ? attempts : 1;
}
