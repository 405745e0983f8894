// Small JSON objects below one folder of a connector. An error of the connector stops the run, not only a single asset.
import { JsonBoundsError, parseJson } from '../../api/responses/bounded-json.ts';
import type { Connector, WriteOptions } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { assetFailures } from '../../failures/assets.ts';
import { mapBounded } from './map-bounded.ts';

/** Every stored object contains its schema, so that later versions can recognize it. */
export interface StoredJson {
  schema: string;
}

/** True for an object with this schema. The other fields are not checked, because only this store writes there. */
export function hasSchema<T extends object>(value: unknown, schema: string): value is T {
  return (
    typeof value === 'object' && value !== null && 'schema' in value && value.schema === schema
  );
}

/** Thrown if an object exists but is not valid, because it was truncated by a power cut or edited manually. */
export class DamagedObjectError extends Error {
  override name = 'DamagedObjectError';
  readonly code = assetFailures.DAMAGED_OBJECT.code;

  constructor(path: string, location: string, problem: string, options?: ErrorOptions) {
    super(
      `${path} in ${location} ${problem}; restore the file from a backup or delete it`,
      options,
    );
  }
}

/** For `catch`: turns a DamagedObjectError into null. @throws any other error */
export function ignoreDamage(error: unknown): null {
  if (error instanceof DamagedObjectError) return null;
  throw error;
}

export type ObjectWriteOptions = Pick<WriteOptions, 'ifAbsent'>;

export class JsonObjects {
  readonly #connector: Connector;
  readonly base: string;

  constructor(connector: Connector, base: string) {
    this.#connector = connector;
    this.base = base;
  }

  /** Reads an object, or null if there is none. @throws DamagedObjectError for invalid JSON or another schema */
  async read<T extends object>(path: string, schema: string): Promise<T | null> {
    const full = `${this.base}/${path}`;
    const bytes = await nullIfMissing(() => this.#connector.read(full));
    if (bytes === null) return null;
    const damaged = (problem: string, options?: ErrorOptions) =>
      new DamagedObjectError(full, this.#connector.describe(), problem, options);
    let value: unknown;
    try {
      value = parseJson(bytes.toString('utf8'));
    } catch (error) {
      if (error instanceof JsonBoundsError) throw damaged(`cannot be parsed: ${error.message}`);
      throw damaged('is not valid JSON', { cause: error });
    }
    if (typeof value !== 'object' || value === null || !('schema' in value)) {
      throw damaged(`does not have the schema ${schema}`);
    }
    if (!hasSchema<T>(value, schema))
      throw damaged(`has the schema ${String(value.schema)} instead of ${schema}`);
    return value;
  }

  /** Reads all objects below a folder, in the order of their names. */
  async readAll<T extends object>(
    folder: string,
    schema: string,
    signal?: AbortSignal,
  ): Promise<T[]> {
    const names = (await this.names(folder, signal)).sort();
    const read = (name: string) => this.read<T>(`${folder}/${name}`, schema);
    return (await mapBounded(names, read, { signal })).filter((value) => value !== null);
  }

  /**
   * Writes an object durably. After a power cut, a lost claim, call or record would cost money, and a truncated object
   * would stop every later run that reads it.
   */
  async write(
    path: string,
    value: StoredJson,
    { ifAbsent = false }: ObjectWriteOptions = {},
  ): Promise<'written' | 'exists'> {
    const full = `${this.base}/${path}`;
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    return asRecordsError(() => this.#connector.write(full, bytes, { ifAbsent, durable: true }));
  }

  async exists(path: string): Promise<boolean> {
    return (await this.writtenAtMs(path)) !== null;
  }

  /** Returns when the object was last written, epoch ms. Null if it does not exist. */
  async writtenAtMs(path: string): Promise<number | null> {
    const entry = await nullIfMissing(() => this.#connector.stat(`${this.base}/${path}`));
    return entry?.mtimeMs ?? null;
  }

  async remove(path: string): Promise<void> {
    await asRecordsError(() => this.#connector.remove(`${this.base}/${path}`));
  }

  /** Returns the names below a folder, relative to it. Empty if the folder does not exist. */
  async names(folder: string, signal?: AbortSignal): Promise<string[]> {
    const names: string[] = [];
    for await (const name of this.eachName(folder, signal)) names.push(name);
    return names;
  }

  /** Like `names`, one at a time. @param after names after this one, by bytes ('' for all). If absent, unordered */
  async *eachName(folder: string, signal?: AbortSignal, after?: string): AsyncGenerator<string> {
    const prefix = `${this.base}/${folder}`;
    const order = after === undefined ? {} : { after: after === '' ? '' : `${prefix}/${after}` };
    const paths = this.#connector.names(prefix, { signal, ...order })[Symbol.asyncIterator]();
    try {
      let next = await nullIfMissing(() => paths.next());
      while (next !== null && next.done !== true) {
        yield next.value.slice(prefix.length + 1);
        next = await nullIfMissing(() => paths.next());
        // Without the rest of the records, delivered assets would look new.
        if (next === null) throw this.missingError(folder, 'the rest of a folder');
      }
    } finally {
      await paths.return?.(undefined);
    }
  }

  /** Creates the error for a missing object: the folder was emptied, or this machine sees another folder. */
  missingError(path: string, subject: string): ConnectorError {
    const full = `${this.base}/${path}`;
    return unreadableRecordsError(
      full,
      `${subject} is missing: ${full} in ${this.#connector.describe()}`,
    );
  }
}

async function nullIfMissing<T>(task: () => Promise<T>): Promise<T | null> {
  return asRecordsError(task).catch((error: unknown) => {
    if (isMissingError(error)) return null;
    throw error;
  });
}

async function asRecordsError<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const isRefusal =
      error instanceof ConnectorError && (error.isOfOneFile || error.code === 'PLACE_UNREADABLE');
    throw isRefusal && !isMissingError(error)
      ? unreadableRecordsError(error.path, error.what, error)
      : error;
  }
}

function unreadableRecordsError(path: string, problem: string, cause?: unknown): ConnectorError {
  const fix =
    'restore the folder of the records, make sure that every worker can read the same folder, then resume the run';
  return new ConnectorError('RECORDS_UNREADABLE', path, problem, fix, { cause });
}

/** True for the error that a file, or the folder that would contain it, does not exist. */
export function isMissingError(error: unknown): boolean {
  if (!(error instanceof ConnectorError)) return false;
  return error.code === 'FILE_GONE' || error.code === 'FOLDER_NOT_FOUND';
}
