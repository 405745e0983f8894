// The objects of one schema in one folder. Names are paths below the folder, without the extension `.json`.
import type { ConnectorError } from '../../connectors/connector-error.ts';
import type { JsonObjects, ObjectWriteOptions } from './json-objects.ts';

export class JsonFolder<Fields extends object> {
  readonly #objects: JsonObjects;
  readonly #folder: string;
  readonly #schema: string;

  constructor(objects: JsonObjects, folder: string, schema: string) {
    this.#objects = objects;
    this.#folder = folder;
    this.#schema = schema;
  }

  /** Reads an object, or null if there is none. @throws DamagedObjectError for invalid JSON or another schema */
  read(name: string): Promise<Fields | null> {
    return this.#objects.read(this.#pathOf(name), this.#schema);
  }

  /** Reads all objects, or those of a subfolder, in the order of their names. */
  readAll(subfolder?: string, signal?: AbortSignal): Promise<Fields[]> {
    return this.#objects.readAll(this.#folderOf(subfolder), this.#schema, signal);
  }

  write(name: string, fields: Fields, options?: ObjectWriteOptions): Promise<'written' | 'exists'> {
    return this.#objects.write(this.#pathOf(name), { schema: this.#schema, ...fields }, options);
  }

  exists(name: string): Promise<boolean> {
    return this.#objects.exists(this.#pathOf(name));
  }

  remove(name: string): Promise<void> {
    return this.#objects.remove(this.#pathOf(name));
  }

  /** Returns the names of all objects, or of those in a subfolder (`<subfolder>/…`), in no particular order. */
  async names(subfolder?: string, signal?: AbortSignal): Promise<string[]> {
    const names = await this.#objects.names(this.#folderOf(subfolder), signal);
    const start = subfolder === undefined ? '' : `${subfolder}/`;
    return names.map((name) => start + name.replace(/\.json$/, ''));
  }

  missingError(name: string, subject: string): ConnectorError {
    return this.#objects.missingError(this.#pathOf(name), subject);
  }

  #folderOf(subfolder: string | undefined): string {
    return subfolder === undefined ? this.#folder : `${this.#folder}/${subfolder}`;
  }

  #pathOf(name: string): string {
    return `${this.#folder}/${name}.json`;
  }
}
