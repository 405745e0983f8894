// Names of the variables that receivers of notices need on every worker: those of the file's `notify:`, and of its notify nodes.
import type { Plan } from './types.ts';

export interface ReceiverSecret {
  /** The node that tells; `notify` for the receivers of the whole run. */
  node: string;
  field: 'secretFrom' | 'urlFrom';
  /** Name of the variable. */
  name: string;
}

/** Each variable once for a node. */
export function receiverSecrets({
  notify = [],
  steps,
}: Pick<Plan, 'notify' | 'steps'>): ReceiverSecret[] {
  const nodes = steps.filter(({ activity }) => activity === 'notify');
  const found = [
    ...notify.flatMap((target) => secretsOf('notify', target)),
    ...nodes.flatMap(({ node, config }) => secretsOf(node, config)),
  ];
  return [...new Map(found.map((one) => [`${one.node} ${one.name}`, one])).values()];
}

function secretsOf(node: string, fields: unknown): ReceiverSecret[] {
  if (typeof fields !== 'object' || fields === null) return [];
  const named = new Map<string, unknown>(Object.entries(fields));
  return (['secretFrom', 'urlFrom'] as const).flatMap((field) => {
    const name = named.get(field);
    return typeof name === 'string' ? [{ node, field, name }] : [];
  });
}
