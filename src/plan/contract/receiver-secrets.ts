import type { Plan } from '../types.ts';

export interface ReceiverSecret {
  /** The node that notifies, or `notify` for the receivers of the whole run. */
  node: string;
  field: 'secretFrom' | 'urlFrom';
  name: string;
}

/** Lists the variables that receivers need. A variable that a node uses twice is listed once. */
export function receiverSecretsOf(plan: Pick<Plan, 'notify' | 'steps'>): ReceiverSecret[] {
  const { notify = [], steps } = plan;
  const nodes = steps.filter(({ activity }) => activity === 'notify');
  const secrets = [
    ...notify.flatMap((target) => secretsOf('notify', target)),
    ...nodes.flatMap(({ node, config }) => secretsOf(node, config)),
  ];
  return [...new Map(secrets.map((secret) => [`${secret.node} ${secret.name}`, secret])).values()];
}

function secretsOf(node: string, fields: unknown): ReceiverSecret[] {
  if (typeof fields !== 'object' || fields === null) return [];
  const valuesByField = new Map<string, unknown>(Object.entries(fields));
  return (['secretFrom', 'urlFrom'] as const).flatMap((field) => {
    const name = valuesByField.get(field);
    return typeof name === 'string' ? [{ node, field, name }] : [];
  });
}
