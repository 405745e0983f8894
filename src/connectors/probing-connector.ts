// Wraps each connector used by runs. A refused file fails alone if other files at its location work (decision 065).
import { storageFailures } from '../failures/storage.ts';
import type {
  Connector,
  Entry,
  ListOptions,
  OpenFile,
  Part,
  StagedFile,
  WriteOptions,
} from './connector.ts';
import { ConnectorError, errnoOf, type FileAction } from './connector-error.ts';
import { createLocationProbe, type LocationProbe, mayAffectLocation } from './location-probe.ts';

/** If this number of other files are also unreadable, the location is at fault. */
const minUnreadable = 3;

export class ProbingConnector implements Connector {
  readonly #connector: Connector;
  readonly #probe: LocationProbe;
  readonly checkWritable?: () => Promise<void>;

  constructor(connector: Connector) {
    this.#connector = connector;
    if (connector.checkWritable) this.checkWritable = connector.checkWritable.bind(connector);
    this.#probe = createLocationProbe(connector);
  }

  describe(): string {
    return this.#connector.describe();
  }

  list(prefix?: string, options?: ListOptions): AsyncIterable<Entry> {
    return this.#connector.list(prefix, options);
  }

  names(prefix?: string, options?: ListOptions): AsyncIterable<string> {
    return this.#connector.names(prefix, options);
  }

  stat(path: string): Promise<Entry | null> {
    return this.#diagnosed('read', path, this.#connector.stat(path));
  }

  read(path: string, maxBytes?: number): Promise<Buffer> {
    return this.#diagnosed('read', path, this.#connector.read(path, maxBytes));
  }

  open(path: string, signal?: AbortSignal): Promise<OpenFile> {
    return this.#diagnosed('read', path, this.#connector.open(path, signal));
  }

  readPart(path: string, offset: number, length: number, signal?: AbortSignal): Promise<Part> {
    return this.#diagnosed('read', path, this.#connector.readPart(path, offset, length, signal));
  }

  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<'written' | 'exists'> {
    return this.#diagnosed('write', path, this.#connector.write(path, bytes, options));
  }

  async stage(path: string): Promise<StagedFile> {
    const stagedFile = await this.#diagnosed('write', path, this.#connector.stage(path));
    return {
      file: stagedFile.file,
      write: (chunk) => stagedFile.write(chunk),
      commit: (options) => this.#diagnosed('write', path, stagedFile.commit(options)),
      discard: () => stagedFile.discard(),
    };
  }

  remove(path: string): Promise<void> {
    return this.#diagnosed('write', path, this.#connector.remove(path));
  }

  async #diagnosed<T>(action: FileAction, path: string, operation: Promise<T>): Promise<T> {
    try {
      return await operation;
    } catch (error) {
      throw error instanceof ConnectorError ? await this.#diagnose(error, action, path) : error;
    }
  }

  async #diagnose(
    error: ConnectorError,
    action: FileAction,
    path: string,
  ): Promise<ConnectorError> {
    // An error of a folder on the file's path also counts. An error of the root or the staging folder does not.
    const isOnPath = error.path !== '' && `${path}/`.startsWith(`${error.path}/`);
    if (!isOnPath || !mayAffectLocation(action, error)) return error;
    const { worked, refused } = await this.#probe(action, path);
    if (error.isOfOneFile) {
      return worked > 0 || refused < minUnreadable ? error : unreadableLocationError(error);
    }
    return worked > 0 ? this.#ownRefusal(error, action, path) : error;
  }

  async #ownRefusal(error: ConnectorError, action: FileAction, path: string) {
    const participle = action === 'read' ? 'read' : 'written';
    const problem = `${error.what}, although other files in the connector can be ${participle}`;
    const isDenied = ['EACCES', 'EPERM'].includes(errnoOf(error.cause) ?? '');
    const mayBeOpen =
      action === 'write' &&
      isDenied &&
      (await this.#connector.stat(path).catch(() => null)) !== null;
    const fix = mayBeOpen
      ? 'close or unlock the file in the other program'
      : `allow the worker to ${action} this file: check its permissions, encryption key and lock`;
    const code = mayBeOpen ? 'FILE_BUSY' : 'FILE_REFUSED';
    return new ConnectorError(code, path, problem, fix, { cause: error });
  }
}

function unreadableLocationError(error: ConnectorError): ConnectorError {
  const problem = `${error.what}, and other files in the connector cannot be read either`;
  const { fix } = storageFailures.PLACE_UNREADABLE;
  return new ConnectorError('PLACE_UNREADABLE', error.path, problem, fix, { cause: error });
}
