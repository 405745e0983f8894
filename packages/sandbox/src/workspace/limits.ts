// Limits of the workspace's plan; changed with PUT /_sandbox/limits, since no operation sets them.

import { type Tier, tiers } from 'renderline/sandbox/tiers';
import { z } from 'zod';

const count = z.int().nonnegative().nullable();

/** null is unlimited, as in 2.12. */
export const LimitValues = z.strictObject({
  tier: z.enum(tiers),
  models: count,
  projects: count,
  rendersPerMonth: count,
  rendersPerYear: count,
  /** Captures of production views in all: beyond them the workspace is out of usage. */
  captures: count,
  /** Bytes of all stored files of models and props. */
  storageBytes: count,
  /** 1 GB by the document; tests set less. */
  modelFileBytes: z.int().positive(),
});
export type LimitValues = z.infer<typeof LimitValues>;

const gigabyte = 1024 ** 3;

type Plan = Omit<LimitValues, 'tier' | 'captures' | 'modelFileBytes'>;

/** Made up: the document shows no values of any tier (platform.md, section 8). */
const plans: Readonly<Record<Tier, Plan>> = {
  free: {
    models: 10,
    projects: 5,
    rendersPerMonth: 20,
    rendersPerYear: 240,
    storageBytes: gigabyte,
  },
  creator: {
    models: 100,
    projects: 50,
    rendersPerMonth: 200,
    rendersPerYear: 2_400,
    storageBytes: 10 * gigabyte,
  },
  production: {
    models: 1_000,
    projects: 500,
    rendersPerMonth: 2_000,
    rendersPerYear: 24_000,
    storageBytes: 100 * gigabyte,
  },
  enterprise: {
    models: null,
    projects: null,
    rendersPerMonth: null,
    rendersPerYear: null,
    storageBytes: null,
  },
};

export class Limits {
  readonly #initial: LimitValues;
  #values: LimitValues;

  constructor(tier: Tier) {
    this.#initial = { tier, ...plans[tier], captures: null, modelFileBytes: gigabyte };
    this.#values = this.#initial;
  }

  get values(): LimitValues {
    return this.#values;
  }

  /** Changes some values. A tier sets those of its plan that are not given. Throws ZodError for invalid limits. */
  set(values: { readonly [Name in keyof LimitValues]?: LimitValues[Name] | undefined }): void {
    const plan = values.tier === undefined ? {} : plans[values.tier];
    this.#values = LimitValues.parse({ ...this.#values, ...plan, ...values });
  }

  reset(): void {
    this.#values = this.#initial;
  }
}
