<<<<<<< HEAD
// A connector of a project: files that a web server lists, folder by folder, as nginx does with `autoindex_format json`.
=======
// A connector of a project: the files of a web server that lists folders as JSON, as nginx does with `autoindex_format json`.
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
import { Readable } from 'node:stream';
import {
  BucketConnector,
  ConnectorError,
  defineConnector,
  definePlugin,
  diagnoseNetworkError,
  endpointField,
  endpointOf,
  readSecretField,
  relativeFolder,
  secretName,
  z,
} from 'renderline/plugin';

<<<<<<< HEAD
/** A response of the server other than a file. */
class WebError extends Error {
  /**
   * @param {number} status
   * @param {import('renderline/plugin').StoreErrorKind} [missing] the error if nothing is found
=======
/** An error status of the server. */
class WebError extends Error {
  /**
   * @param {number} status
   * @param {import('renderline/plugin').StoreErrorKind} [missing] what status 404 means
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
   */
  constructor(status, missing = 'no-object') {
    super(`status ${status}`);
    this.status = status;
    this.missing = missing;
  }
}

class WebFiles {
  /**
<<<<<<< HEAD
   * @param {string} address of the server
=======
   * @param {string} address address of the server
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
   * @param {string} root folder that must exist
   * @param {string | undefined} token
   */
  constructor(address, root, token) {
    this.address = address.replace(/\/$/, '');
    this.root = root;
    this.headers = {
      'accept-encoding': 'identity',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  /**
   * @param {string} folder
   * @param {AbortSignal | undefined} signal
   * @returns {AsyncGenerator<import('renderline/plugin').StoredObject[]>}
   */
  async *list(folder, signal) {
<<<<<<< HEAD
    const entries = (await this.read(folder, signal))
=======
    const entries = (await this.listFolder(folder, signal))
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
      .filter(({ name }) => !name.startsWith('.'))
      .map(({ name, type, ...more }) => ({
        ...more,
        name: folder + name + (type === 'directory' ? '/' : ''),
      }))
<<<<<<< HEAD
      // In the order of object stores: by the bytes of names, each folder at the position of its files.
=======
      // Object stores sort by the bytes of names, so that a folder is sorted as its files are.
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
      .sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
    for (const { name, mtime, size } of entries) {
      if (name.endsWith('/')) yield* this.list(name, signal);
      else yield [fileOf(name, size, mtime)];
    }
  }

  /**
   * @param {string} folder
   * @param {AbortSignal | undefined} signal
   */
<<<<<<< HEAD
  async read(folder, signal) {
    try {
      const response = await this.send('GET', folder, {}, signal);
      return listing.parse(await response.json());
=======
  async listFolder(folder, signal) {
    try {
      const response = await this.request('GET', folder, {}, signal);
      return Listing.parse(await response.json());
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
    } catch (error) {
      if (!(error instanceof WebError) || error.status !== 404) throw error;
      if (folder.replace(/\/$/, '') === this.root) throw new WebError(404, 'no-bucket');
      return [];
    }
  }

  /** @param {string} name */
  async head(name) {
    try {
<<<<<<< HEAD
      return versionOf(name, await this.send('HEAD', name));
=======
      return versionOf(name, await this.request('HEAD', name));
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
    } catch (error) {
      if (error instanceof WebError && error.status === 404) return null;
      throw error;
    }
  }

  /**
   * @param {string} name
   * @param {import('renderline/plugin').ByteRange | null} range
   * @param {AbortSignal | undefined} signal
   */
  async get(name, range, signal) {
    const part = range && { range: `bytes=${range.offset}-${range.offset + range.length - 1}` };
<<<<<<< HEAD
    const { headers, body } = await this.send('GET', name, part ?? {}, signal);
=======
    const { headers, body } = await this.request('GET', name, part ?? {}, signal);
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
    const chunks = body === null ? [] : Readable.fromWeb(/** @type {any} */ (body));
    return { object: versionOf(name, { headers }), body: Readable.from(chunks) };
  }

  async put() {
    return refuse();
  }

  async putFile() {
    return refuse();
  }

  async remove() {
    return refuse();
  }

  /**
   * @param {string} method
   * @param {string} name
   * @param {Record<string, string>} extraHeaders
   * @param {AbortSignal} [signal]
   */
<<<<<<< HEAD
  async send(method, name, more = {}, signal = AbortSignal.timeout(60_000)) {
=======
  async request(method, name, extraHeaders = {}, signal = AbortSignal.timeout(60_000)) {
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
    const path = name.split('/').map(encodeURIComponent).join('/');
    const headers = { ...this.headers, ...extraHeaders };
    const url = `${this.address}/${path}`;
    const response = await fetch(url, { method, headers, signal, redirect: 'error' });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new WebError(response.status);
  }
}

<<<<<<< HEAD
const listing = z.array(
=======
const Listing = z.array(
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
  z.object({
    name: z.string().min(1),
    type: z.string(),
    mtime: z.string(),
    size: z.number().default(0),
  }),
);

/**
<<<<<<< HEAD
 * Listings and files identify a version in the same way: by its size and its time of change.
=======
 * A version is identified by size and time of change, so that a listing and a file give the same etag.
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
 * @param {string} name
 * @param {number} bytes
 * @param {string} changedAt
 */
function fileOf(name, bytes, changedAt) {
  const mtimeMs = Date.parse(changedAt) || 0;
  return { name, bytes, mtimeMs, etag: `${mtimeMs}-${bytes}` };
}

/**
 * @param {string} name
 * @param {{ headers: Headers }} response
 */
function versionOf(name, { headers }) {
  const bytes = headers.get('content-range')?.split('/')[1] ?? headers.get('content-length');
  return fileOf(name, Number(bytes), headers.get('last-modified') ?? '');
}

/** @returns {never} */
function refuse() {
  throw new ConnectorError('UNWRITABLE', '', 'a web folder is read-only', 'name another connector');
}

/**
 * @param {unknown} error
 * @returns {import('renderline/plugin').Diagnosis | null}
 */
function diagnose(error) {
  if (!(error instanceof WebError)) return diagnoseNetworkError(error);
  const { status, message: code } = error;
  if (status === 401 || status === 403) return { errorKind: 'denied', code };
  if (status === 404) return { errorKind: error.missing, code };
  if (status === 416) return { errorKind: 'out-of-range', code };
  if (status === 429 || status >= 500) return { errorKind: 'unreachable', code };
  return { errorKind: 'refused', code };
}

const webFolder = defineConnector({
  type: 'web_folder',
  summary: 'A folder of a web server that lists its files, as nginx does.',
<<<<<<< HEAD
  docs: 'The server lists folders as JSON (nginx: `autoindex on; autoindex_format json;`) and returns parts of files (`Range`). `tokenFrom` names the variable that holds a token for it.',
=======
  docs: 'The server lists folders as JSON (nginx: `autoindex on; autoindex_format json;`) and supports `Range` requests. If the server needs a bearer token, `tokenFrom` names the variable that holds it.',
>>>>>>> 938079cef1b4b845840743f113c6eecd706b07d2
  example: 'models: { type: web_folder, endpoint: "https://supplier.example.com", prefix: models }',
  config: z.strictObject({
    endpoint: endpointField('Address of the server.'),
    prefix: relativeFolder.describe('Folder on the server; default: the whole server.').optional(),
    tokenFrom: secretName('Environment variable that holds a bearer token.').optional(),
  }),
  readOnly: true,
  open(spec, env) {
    const { prefix = '' } = spec;
    const address = endpointOf(spec, env) ?? '';
    return new BucketConnector({
      prefix,
      description: `web folder ${new URL(address).host}/${prefix}`,
      terms: { bucket: 'folder of the web server', credentials: spec.tokenFrom ?? '`tokenFrom`' },
      open: async () => new WebFiles(address, prefix, readSecretField(spec, 'tokenFrom', env)),
      diagnose,
    });
  },
});

export const plugin = definePlugin({ name: 'web-folder', connectors: [webFolder] });
