// Opens a connection to Temporal, configured by Temporal's own settings, for the duration of a command.
import { connectTemporal, type TemporalConnection } from '../temporal/connection/connect.ts';
import { workflowPage } from '../temporal/ui-links.ts';
import type { Session } from './session.ts';

/** Calls `work` with a connection and always closes it. Starts no server; fails within seconds if none responds. */
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

/** URL of a run in the Temporal UI; null if the address of the UI is not configured. */
export async function runPageUrl(
  session: Session,
  namespace: string,
  run: string,
): Promise<string | null> {
  const ui = (await session.config()).temporalUi.value;
  if (ui === null) return null;
  return workflowPage(ui, namespace, run);
}
