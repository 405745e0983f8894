// Wraps each connector that runs use: a refused file is that file's own failure while its location works (decision 065).
import { placeFailures } from '../failures/places.ts';
import type {
  Connector,
  Entry,
  ListOptions,
  OpenFile,
  Part,
  Staged,
  WriteOptions,
} from './connector.ts';
import { ConnectorError, errnoOf, type FileAction } from './connector-error.ts';
import { mayBeOfPlace, PlaceProbe } from './place-probe.ts';

/** If this number of other files is unreadable too, the location is at fault. */
const unreadableAtLeast = 3;

export class ProbingConnector implements Connector {
  readonly #place: Connector;
  readonly #probe: PlaceProbe;
  readonly checkWritable?: () => Promise<void>;

  constructor(place: Connector) {
    this.#place = place;
    if (place.checkWritable) this.checkWritable = place.checkWritable.bind(place);
    this.#probe = new PlaceProbe(place);
  }

  describe(): string {
    return this.#place.describe();
  }

  list(prefix?: string, options?: ListOptions): AsyncIterable<Entry> {
    return this.#place.list(prefix, options);
  }

  names(prefix?: string, options?: ListOptions): AsyncIterable<string> {
    return this.#place.names(prefix, options);
  }

  stat(path: string): Promise<Entry | null> {
    return this.#judged('read', path, this.#place.stat(path));
  }

  read(path: string, maxBytes?: number): Promise<Buffer> {
    return this.#judged('read', path, this.#place.read(path, maxBytes));
  }

  open(path: string, signal?: AbortSignal): Promise<OpenFile> {
    return this.#judged('read', path, this.#place.open(path, signal));
  }

  readPart(path: string, offset: number, length: number, signal?: AbortSignal): Promise<Part> {
    return this.#judged('read', path, this.#place.readPart(path, offset, length, signal));
  }

  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<'written' | 'exists'> {
    return this.#judged('write', path, this.#place.write(path, bytes, options));
  }

  async stage(path: string): Promise<Staged> {
    const staged = await this.#judged('write', path, this.#place.stage(path));
    return {
      file: staged.file,
      write: (chunk) => staged.write(chunk),
      commit: (options) => this.#judged('write', path, staged.commit(options)),
      discard: () => staged.discard(),
    };
  }

  remove(path: string): Promise<void> {
    return this.#judged('write', path, this.#place.remove(path));
  }

  async #judged<T>(action: FileAction, path: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw error instanceof ConnectorError ? await this.#judge(error, action, path) : error;
    }
  }

  async #judge(error: ConnectorError, action: FileAction, path: string): Promise<ConnectorError> {
    // An error of a folder on the file's path also counts; an error of the root or the staging folder does not.
    const isOnItsWay = error.path !== '' && `${path}/`.startsWith(`${error.path}/`);
    if (!isOnItsWay || !mayBeOfPlace(action, error)) return error;
    const { worked, refused } = await this.#probe.try(action, path);
    if (error.isOfOneFile) {
      return worked > 0 || refused < unreadableAtLeast ? error : unreadablePlace(error);
    }
    return worked > 0 ? this.#ownRefusal(error, action, path) : error;
  }

  async #ownRefusal(error: ConnectorError, action: FileAction, path: string) {
    const done = action === 'read' ? 'read' : 'written';
    const what = `${error.what}, although other files can be ${done} there`;
    const isDenied = ['EACCES', 'EPERM'].includes(errnoOf(error.cause) ?? '');
    const mayBeOpen =
      action === 'write' && isDenied && (await this.#place.stat(path).catch(() => null)) !== null;
    return mayBeOpen
      ? new ConnectorError('FILE_BUSY', path, what, 'close it in the other program, or unlock it', {
          cause: error,
        })
      : new ConnectorError(
          'FILE_REFUSED',
          path,
          what,
          `allow the worker to ${action} this file: check its permissions, encryption key and lock`,
          { cause: error },
        );
  }
}

function unreadablePlace(error: ConnectorError): ConnectorError {
  const what = `${error.what}, and neither can other files that were tried`;
  const { fix } = placeFailures.PLACE_UNREADABLE;
  return new ConnectorError('PLACE_UNREADABLE', error.path, what, fix, { cause: error });
}
