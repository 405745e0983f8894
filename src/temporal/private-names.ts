// Hides names that Temporal never encrypts: ids of workflows and schedules, search attributes and fairness keys. If
// names are private, each name is replaced with its hash.
import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import type { Plan } from '../plan/types.ts';

const privateNamePattern = /^p[0-9a-f]{12}$/;

/** Returns the hash of a name, or a hash unchanged. A hash hides a name, but guesses can be checked. */
export function toPrivateName(name: string): string {
  const digest = createHash('sha256').update(`renderline private name\n${name}`).digest('hex');
  return privateNamePattern.test(name) ? name : `p${digest.slice(0, 12)}`;
}

/** True if `RENDERLINE_PRIVATE_NAMES` is set in the client's environment. */
export function hasPrivateNames(client: Pick<Client, 'options'>): boolean {
  const { payloadCodecs } = client.options.loadedDataConverter;
  return payloadCodecs.some((codec) => 'areNamesHidden' in codec && codec.areNamesHidden === true);
}

/** Returns the name of a pipeline or schedule (`pipeline/schedule`) as Temporal stores it. */
export function toTemporalName(areNamesHidden: boolean, name: string): string {
  return areNamesHidden ? name.split('/').map(toPrivateName).join('/') : name;
}

/** Returns the plan for Temporal. Its alias is the hash of the pipeline's name, and absent unless names are private. */
export function toTemporalPlan(areNamesHidden: boolean, plan: Plan): Plan {
  const { alias: _before, ...planWithoutAlias } = plan;
  const alias = areNamesHidden ? toPrivateName(plan.pipeline) : undefined;
  return { ...planWithoutAlias, ...omitUndefined({ alias }) };
}
