// What the workspace's plan allows; changed with PUT /_sandbox/limits, since no operation sets it.
import { z } from 'zod';

const count = z.int().nonnegative().nullable();

/** null is unlimited, as in 2.12. */
export const LimitValues = z.strictObject({
  tier: z.enum(['free', 'creator', 'production', 'enterprise']),
  models: count,
  projects: count,
  rendersPerMonth: count,
  rendersPerYear: count,
  /** Captures of production views in all: beyond them the workspace is out of usage. */
  captures: count,
  /** Bytes of all stored files of models and props. */
  storageBytes: count,
  /** 1 GB by the document; smaller lets a test reach it. */
  modelFileBytes: z.int().positive(),
});
export type LimitValues = z.infer<typeof LimitValues>;

const initial: LimitValues = {
  tier: 'enterprise',
  models: null,
  projects: null,
  rendersPerMonth: null,
  rendersPerYear: null,
  captures: null,
  storageBytes: null,
  modelFileBytes: 1024 ** 3,
};

export class Limits {
  #values = initial;

  get values(): LimitValues {
    return this.#values;
  }

  /** Changes some values; Throws ZodError when the result is no set of limits. */
  set(values: { readonly [Name in keyof LimitValues]?: LimitValues[Name] | undefined }): void {
    this.#values = LimitValues.parse({ ...this.#values, ...values });
  }

  reset(): void {
    this.#values = initial;
  }
}
