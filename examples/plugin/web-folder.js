// A connector of a project: the files of a web server that lists folders as JSON, as nginx does with `autoindex_format json`.
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

/** An error status of the server. */
class WebError extends Error {
  /**
   * @param {number} status
   * @param {import('renderline/plugin').StoreErrorKind} [missing] what status 404 means
   */
  constructor(status, missing = 'no-object') {
    super(`status ${status}`);
    this.status = status;
    this.missing = missing;
  }
}

class WebFiles {
  /**
   * @param {string} address address of the server
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
    const entries = (await this.listFolder(folder, signal))
      .filter(({ name }) => !name.startsWith('.'))
      .map(({ name, type, ...more }) => ({
        ...more,
        name: folder + name + (type === 'directory' ? '/' : ''),
      }))
      // Object stores sort by the bytes of names, so that a folder is sorted as its files are.
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
  async listFolder(folder, signal) {
    try {
      const response = await this.request('GET', folder, {}, signal);
      return Listing.parse(await response.json());
    } catch (error) {
      if (!(error instanceof WebError) || error.status !== 404) throw error;
      if (folder.replace(/\/$/, '') === this.root) throw new WebError(404, 'no-bucket');
      return [];
    }
  }

  /** @param {string} name */
  async head(name) {
    try {
      return versionOf(name, await this.request('HEAD', name));
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
    const { headers, body } = await this.request('GET', name, part ?? {}, signal);
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
  async request(method, name, extraHeaders = {}, signal = AbortSignal.timeout(60_000)) {
    const path = name.split('/').map(encodeURIComponent).join('/');
    const headers = { ...this.headers, ...extraHeaders };
    const url = `${this.address}/${path}`;
    const response = await fetch(url, { method, headers, signal, redirect: 'error' });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new WebError(response.status);
  }
}

const Listing = z.array(
  z.object({
    name: z.string().min(1),
    type: z.string(),
    mtime: z.string(),
    size: z.number().default(0),
  }),
);

/**
 * A version is identified by size and time of change, so that a listing and a file give the same etag.
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
  docs: 'The server lists folders as JSON (nginx: `autoindex on; autoindex_format json;`) and supports `Range` requests. If the server needs a bearer token, `tokenFrom` names the variable that holds it.',
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
