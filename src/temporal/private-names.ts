// Names that Temporal shows to whoever may read the namespace, with keys or without: ids of workflows and schedules, search
// attributes, fairness keys. Where they are to tell nothing, each is replaced by a hash of it, always the same one.
import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Plan } from '../plan/types.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';

const hidden = /^p[0-9a-f]{12}$/;

/** Who suspects a name can check it against its hash; nobody reads one from it. */
export function privateName(name: string): string {
  const digest = createHash('sha256').update(`renderline private name\n${name}`).digest('hex');
  return hidden.test(name) ? name : `p${digest.slice(0, 12)}`;
}

/** `RENDERLINE_PRIVATE_NAMES` of the client's environment. */
export function hidesNames(client: Pick<Client, 'options'>): boolean {
  const { payloadCodecs } = client.options.loadedDataConverter;
  return payloadCodecs.some((codec) => 'hidesNames' in codec && codec.hidesNames === true);
}

/** A name of a pipeline, or of a schedule (`pipeline/schedule`), as Temporal shows it. @param hides as `hidesNames` tells */
export function shownName(hides: boolean, name: string): string {
  return hides ? name.split('/').map(privateName).join('/') : name;
}

/** The plan as it is handed to Temporal. */
export function shownPlan(hides: boolean, plan: Plan): Plan {
  const { alias: _before, ...own } = plan;
  const alias = hides ? privateName(plan.pipeline) : undefined;
  return { ...own, ...withoutUndefined({ alias }) };
}
