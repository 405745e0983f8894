// Limits of the workspace's plan. They are changed with POST /_sandbox/limits, because no operation sets them.

import { type Tier, tiers } from 'renderline/sandbox/tiers';
import { z } from 'zod';
import { ControlledValues } from './controlled-values.ts';

const count = z.int().nonnegative().nullable();

/** Limits of a workspace. Null means unlimited. */
export const LimitValues = z.strictObject({
  tier: z.enum(tiers),
  models: count,
  projects: count,
  rendersPerMonth: count,
  rendersPerYear: count,
  /** Maximum number of captures of production views in total. */
  captures: count,
  /** Maximum total bytes of all stored model and prop files. */
  storageBytes: count,
  /** Maximum bytes of a model or prop file. The documented limit is 1 GB. Tests set a smaller one. */
  modelFileBytes: z.int().positive(),
});
type LimitValues = z.infer<typeof LimitValues>;

const gigabyte = 1024 ** 3;

type Plan = Omit<LimitValues, 'tier' | 'captures' | 'modelFileBytes'>;

/** Invented values, because the platform documents none for any tier. */
const plans: Readonly<Record<Tier, Plan>> = {
  free: planOf({ models: 10, projects: 5, rendersPerMonth: 20, gigabytes: 1 }),
  creator: planOf({ models: 100, projects: 50, rendersPerMonth: 200, gigabytes: 10 }),
  production: planOf({ models: 1_000, projects: 500, rendersPerMonth: 2_000, gigabytes: 100 }),
  enterprise: {
    models: null,
    projects: null,
    rendersPerMonth: null,
    rendersPerYear: null,
    storageBytes: null,
  },
};

function planOf({
  gigabytes,
  ...counts
}: Record<'models' | 'projects' | 'rendersPerMonth' | 'gigabytes', number>): Plan {
  const rendersPerYear = 12 * counts.rendersPerMonth;
  return { ...counts, rendersPerYear, storageBytes: gigabytes * gigabyte };
}

export class Limits extends ControlledValues<typeof LimitValues> {
  constructor(tier: Tier) {
    super(LimitValues, { tier, ...plans[tier], captures: null, modelFileBytes: gigabyte });
  }

  /** Changes the given values. A tier also sets the other values of its plan. @throws ZodError for invalid limits */
  override set(values: Parameters<ControlledValues<typeof LimitValues>['set']>[0]): void {
    super.set({ ...(values.tier && plans[values.tier]), ...values });
  }
}
