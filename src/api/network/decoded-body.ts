// Decodes responses that are compressed although no compression was requested: storage sends an object that was stored
// with a content encoding as it is.
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { getHeader } from '../errors/retry-after.ts';

const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Returns the content of a response. Its size is unknown beforehand if the response is compressed. */
export function decodedBodyOf({ statusCode, headers, body }: Dispatcher.ResponseData): {
  body: Readable;
  isCompressed: boolean;
} {
  const createDecoder = decoders.get(getHeader(headers, 'content-encoding')?.toLowerCase() ?? '');
  // An empty body, such as that of a redirect, is not valid compressed data.
  const isEmpty = statusCode === 204 || getHeader(headers, 'content-length') === '0';
  if (createDecoder === undefined || isEmpty) return { body, isCompressed: false };
  // Whoever reads the decoder receives its errors and those of the connection.
  return { body: pipeline(body, createDecoder(), () => undefined), isCompressed: true };
}
