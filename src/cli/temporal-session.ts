// Gives commands a connection to Temporal, from Temporal's own settings, and always closes it.
import { connectTemporal, type TemporalConnection } from '../temporal/connect.ts';
import { workflowPage } from '../temporal/ui-links.ts';
import type { Session } from './session.ts';

/** Calls `work` with a connection. Starts no server; without one it fails within seconds. */
export async function withTemporal<T>(
  session: Session,
  work: (temporal: TemporalConnection) => Promise<T>,
): Promise<T> {
  const temporal = await connectTemporal({
    env: session.io.env,
    via: session.io.via,
  });
  try {
    return await work(temporal);
  } finally {
    await temporal.close();
  }
}

/** Page of a run in the Temporal UI; null when the UI's address is not known. */
export async function runPage(
  session: Session,
  namespace: string,
  run: string,
): Promise<string | null> {
  const ui = (await session.config()).temporalUi.value;
  if (ui === null) return null;
  return workflowPage(ui, namespace, run);
}
