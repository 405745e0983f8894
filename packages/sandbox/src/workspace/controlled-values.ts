// Values of the workspace that are set by a control under `/_sandbox`, not by an API operation.
import type { z } from 'zod';

export class ControlledValues<S extends z.ZodObject> {
  readonly #schema: S;
  readonly #initial: z.output<S>;
  #values: z.output<S>;

  constructor(schema: S, initial: z.output<S>) {
    this.#schema = schema;
    this.#initial = initial;
    this.#values = initial;
  }

  get values(): z.output<S> {
    return this.#values;
  }

  /** Changes the given values. @throws ZodError for invalid values */
  set(change: { readonly [Name in keyof z.output<S>]?: z.output<S>[Name] | undefined }): void {
    this.#values = this.#schema.parse({ ...this.#values, ...change });
  }

  reset(): void {
    this.#values = this.#initial;
  }
}
