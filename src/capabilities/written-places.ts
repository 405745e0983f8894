// The places that a run writes into. What can be known of them without a write is known before anything is paid.
import type { Connector } from '../connectors/connector.ts';
import type { ConnectorUse } from '../plan/connector-uses.ts';
import type { ConnectorSpec, Plan } from '../plan/types.ts';
import { nodeTypes } from './index.ts';

/** The connectors that steps deliver to, each once. */
export function destinationsOf(
  uses: readonly ConnectorUse[],
  connectors: Plan['connectors'],
): ConnectorSpec[] {
  const delivering = uses.filter(({ activity }) =>
    nodeTypes.some(({ type, delivers }) => type === activity && delivers === true),
  );
  const names = new Set(delivering.map(({ connector }) => connector));
  return [...names].flatMap((name) => connectors[name] ?? []);
}

/**
 * Asks each place that says so by itself whether files can be written there as is needed; writes nothing.
 * @throws ConnectorError of the first that cannot
 */
export async function checkWrittenPlaces(
  { records, connectors }: Pick<Plan, 'records' | 'connectors'>,
  uses: readonly ConnectorUse[],
  open: (spec: ConnectorSpec) => Connector,
): Promise<void> {
  for (const spec of [records, ...destinationsOf(uses, connectors)]) {
    await open(spec).checkWritable?.();
  }
}
