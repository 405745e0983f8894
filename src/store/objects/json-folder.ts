// The objects of one schema in one folder. Names are paths below the folder, without the extension `.json`.
import type { ConnectorError } from '../../connectors/connector-error.ts';
import type { JsonObjects, ObjectWriteOptions } from './json-objects.ts';

export class JsonFolder<Fields extends object, Key = string> {
  readonly #objects: JsonObjects;
  readonly #folder: string;
  readonly #schema: string;
  readonly #nameOf: (key: Key) => string;

  /** @param nameOf name of the object with a key. By default, keys are names */
  constructor(
    objects: JsonObjects,
    folder: string,
    schema: string,
    nameOf: (key: Key) => string = String,
  ) {
    this.#objects = objects;
    this.#folder = folder;
    this.#schema = schema;
    this.#nameOf = nameOf;
  }

  /** Reads an object, or null if there is none. @throws DamagedObjectError for invalid JSON or another schema */
  read(key: Key): Promise<Fields | null> {
    return this.#objects.read(this.#pathOf(key), this.#schema);
  }

  /** Reads all objects, or those of a subfolder, in the order of their names. */
  readAll(subfolder?: string, signal?: AbortSignal): Promise<Fields[]> {
    return this.#objects.readAll(this.#folderOf(subfolder), this.#schema, signal);
  }

  write(key: Key, fields: Fields, options?: ObjectWriteOptions): Promise<'written' | 'exists'> {
    return this.#objects.write(this.#pathOf(key), { schema: this.#schema, ...fields }, options);
  }

  exists(key: Key): Promise<boolean> {
    return this.#objects.exists(this.#pathOf(key));
  }

  remove(key: Key): Promise<void> {
    return this.#objects.remove(this.#pathOf(key));
  }

  /** Returns the names of all objects, or of those in a subfolder (`<subfolder>/…`), in no particular order. */
  async names(subfolder?: string, signal?: AbortSignal): Promise<string[]> {
    const names = await this.#objects.names(this.#folderOf(subfolder), signal);
    const start = subfolder === undefined ? '' : `${subfolder}/`;
    return names.map((name) => start + name.replace(/\.json$/, ''));
  }

  missingError(key: Key, subject: string): ConnectorError {
    return this.#objects.missingError(this.#pathOf(key), subject);
  }

  #folderOf(subfolder: string | undefined): string {
    return subfolder === undefined ? this.#folder : `${this.#folder}/${subfolder}`;
  }

  #pathOf(key: Key): string {
    return `${this.#folder}/${this.#nameOf(key)}.json`;
  }
}
