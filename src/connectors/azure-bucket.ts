// An Azure container as a `Bucket`. `azure.ts` imports this file, and with it Microsoft's client, on first use.
import { Readable } from 'node:stream';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { createTimeoutSignal, rejectOnAbort } from '../api/abort.ts';
import { createNodeAgents } from '../api/network/http-agents.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { findAzureCode } from './azure-errors.ts';
import { ResponseBounds } from './bucket/bounded-response.ts';
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

/** Number of objects per listing page. With 8 KiB of metadata each, a page stays below the maximum response size. */
const pageObjects = 1_000;

export function openAzureBucket(
  container: string,
  connectionString: string,
  isPlain: boolean,
  sizes = uploadSizes,
): Bucket {
  try {
    // With an agent, the client does not handle proxies itself. Its types lack the `agent` option.
    const connectionOptions = { agent: createNodeAgents()[isPlain ? 'http' : 'https'] };
    const service = BlobServiceClient.fromConnectionString(connectionString, {
      retryOptions: { maxTries: requestTimes.attempts, maxRetryDelayInMs: 10_000 },
      ...connectionOptions,
    });
    return new AzureBucket(service.getContainerClient(container), sizes);
  } catch {
    // The error has our own message, because the client's message may contain part of the connection string.
    throw Object.assign(new Error('the Azure connection string is invalid'), {
      name: 'BadConnectionString',
    });
  }
}

class AzureBucket implements Bucket {
  readonly #container: ContainerClient;
  readonly #sizes: UploadSizes;

  constructor(container: ContainerClient, sizes: UploadSizes) {
    this.#container = container;
    this.#sizes = sizes;
  }

  async *list(
    prefix: string,
    signal: AbortSignal | undefined,
    cursor?: string,
  ): AsyncGenerator<StoredObject[]> {
    // Older services ignore `startFrom`. A name outside the prefix is not sent, because its effect is undocumented.
    const startFrom = cursor?.startsWith(prefix) ? cursor : undefined;
    for (let token: string | undefined = ''; token !== undefined; ) {
      // Each page has a timeout of its own.
      const abortSignal = createTimeoutSignal(smallRequestMs, signal);
      const bounds = new ResponseBounds();
      const pages = this.#container
        .listBlobsFlat({
          prefix,
          abortSignal,
          includeMetadata: true,
          ...omitUndefined({ startFrom }),
          ...createBoundedRequest(bounds),
        })
        .byPage({
          maxPageSize: pageObjects,
          ...(token === '' ? {} : { continuationToken: token }),
        });
      // While the client is counting bytes, it does not notice that the body has been aborted or cut off.
      const page = await rejectOnAbort(abortSignal, readPage(pages)).catch((error: unknown) => {
        if (bounds.excess) throw bounds.excess;
        // The client does not check the structure of a response, so a web page causes a TypeError.
        if (error instanceof TypeError)
          throw createListingError('a response from the store is not a listing');
        throw error;
      });
      yield page.objects;
      token = page.next === '' ? undefined : page.next;
    }
  }

  async head(name: string): Promise<StoredObject | null> {
    try {
      const blob = this.#container.getBlobClient(name);
      const properties = await blob.getProperties({
        abortSignal: createTimeoutSignal(smallRequestMs),
      });
      return isFolderMarker(properties.metadata)
        ? null
        : toObject(name, properties.contentLength, properties);
    } catch (error) {
      if (findAzureCode(error) === 'BlobNotFound') return null;
      throw error;
    }
  }

  async get(name: string, range: ByteRange | null, signal: AbortSignal | undefined) {
    const blob = this.#container.getBlobClient(name);
    // This timeout limits only the wait for the response. `BucketConnector` limits the transfer of the body.
    const responseTimeout = new AbortController();
    const timer = setTimeout(() => responseTimeout.abort(), requestTimes.idleMs);
    try {
      const abortSignal = signal
        ? AbortSignal.any([responseTimeout.signal, signal])
        : responseTimeout.signal;
      const response = await blob.download(range?.offset, range?.length, { abortSignal });
      const body = response.readableStreamBody;
      if (!(body instanceof Readable)) throw new TypeError('Azure returned no stream');
      if (isFolderMarker(response.metadata)) {
        body.on('error', () => undefined).destroy();
        throw Object.assign(new Error('a folder'), { statusCode: 404, code: 'BlobNotFound' });
      }
      const bytes = parseTotalBytes(response.contentRange) ?? response.contentLength;
      return { object: toObject(name, bytes, response), body };
    } finally {
      clearTimeout(timer);
    }
  }

  async put(name: string, bytes: Uint8Array, ifAbsent: boolean): Promise<'written' | 'exists'> {
    let attempts = 0;
    try {
      await this.#container.getBlockBlobClient(name).upload(bytes, bytes.length, {
        abortSignal: createTimeoutSignal(smallRequestMs),
        // The callback counts attempts, because each attempt reports exactly once that all bytes have been sent.
        onProgress: ({ loadedBytes }) => {
          if (loadedBytes === bytes.length) attempts += 1;
        },
        ...(ifAbsent ? { conditions: { ifNoneMatch: '*' } } : {}),
      });
      return 'written';
    } catch (error) {
      if (!ifAbsent || findAzureCode(error) !== 'BlobAlreadyExists') throw error;
      return await resolveConflict(this, name, bytes, attempts);
    }
  }

  async putFile(name: string, file: FilledFile, options: TransferOptions) {
    const blob = this.#container.getBlockBlobClient(name);
    const partBytes = computePartBytes(file, this.#sizes);
    await sendFile(file, options, ({ stream, signal }) =>
      partBytes === undefined
        ? blob.upload(stream, file.bytes, { abortSignal: signal })
        : blob.uploadStream(stream(), partBytes, 1, { abortSignal: signal }),
    );
  }

  async remove(name: string): Promise<void> {
    const blob = this.#container.getBlobClient(name);
    await blob.deleteIfExists({ abortSignal: createTimeoutSignal(smallRequestMs) });
  }
}

/** Creates HTTP request options that the client's types lack. An exception in the callback aborts the response. */
function createBoundedRequest(bounds: ResponseBounds) {
  const onDownloadProgress = ({ loadedBytes }: { loadedBytes: number }) =>
    bounds.takeBytes(loadedBytes);
  return { requestOptions: { onDownloadProgress } };
}

/** True for a folder. Hadoop, and accounts with a hierarchical namespace, represent a folder as an empty blob. */
function isFolderMarker(metadata: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(metadata).some(
    ([name, value]) => name.toLowerCase() === 'hdi_isfolder' && value === 'true',
  );
}

async function readPage(pages: ReturnType<ReturnType<ContainerClient['listBlobsFlat']>['byPage']>) {
  const { done, value } = await pages.next();
  if (done === true) return { objects: [], next: '' };
  const { segment, continuationToken } = value;
  const objects = segment.blobItems.flatMap(({ name, properties, metadata }) =>
    isFolderMarker(metadata) ? [] : [toObject(name, properties.contentLength, properties)],
  );
  return { objects, next: continuationToken };
}

function toObject(
  name: string,
  bytes: number | undefined,
  { lastModified, etag = '' }: { lastModified?: Date | undefined; etag?: string | undefined },
): StoredObject {
  // Quotes are removed, because listings have etags without quotes while other responses have etags with quotes.
  const version = etag.replaceAll('"', '');
  return { name, bytes: bytes ?? 0, mtimeMs: lastModified?.getTime() ?? 0, etag: version };
}
