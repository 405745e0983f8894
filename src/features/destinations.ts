import type { Connector } from '../connectors/connector.ts';
import type { ConnectorUse } from '../plan/contract/connector-uses.ts';
import type { ConnectorSpec, Plan } from '../plan/types.ts';
import { nodeTypes } from './index.ts';

/** Returns the connectors that steps deliver to, without duplicates. */
export function exportDestinations(
  uses: readonly ConnectorUse[],
  connectors: Plan['connectors'],
): ConnectorSpec[] {
  const delivering = uses.filter(({ activity }) =>
    nodeTypes.some(({ type, delivers }) => type === activity && delivers === true),
  );
  const names = new Set(delivering.map(({ connector }) => connector));
  return [...names].flatMap((name) => connectors[name] ?? []);
}

/** Checks that connectors of records and exports are writable. @throws ConnectorError of the first one that is not */
export async function checkDestinations(
  { records, connectors }: Pick<Plan, 'records' | 'connectors'>,
  uses: readonly ConnectorUse[],
  open: (spec: ConnectorSpec) => Connector,
): Promise<void> {
  for (const spec of [records, ...exportDestinations(uses, connectors)]) {
    await open(spec).checkWritable?.();
  }
}
