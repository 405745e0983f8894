// Opens a connection to Temporal, configured by Temporal's own settings, for the duration of a use case.
import { connectTemporal, type TemporalConnection } from '../temporal/connection/connect.ts';
import { workflowPage } from '../temporal/ui-links.ts';
import type { App } from './app.ts';

/** Calls `work` with the connection of the app, or with a new one that it always closes. Starts no server; fails within seconds if none responds. */
export async function withTemporal<T>(
  app: App,
  work: (temporal: TemporalConnection) => Promise<T>,
): Promise<T> {
  if (app.temporal) return work(app.temporal);
  const temporal = await connectTemporal({ env: app.env, via: app.via });
  try {
    return await work(temporal);
  } finally {
    await temporal.close();
  }
}

/** URL of a run in the Temporal UI; null if the address of the UI is not configured. */
export async function runPageUrl(app: App, namespace: string, run: string): Promise<string | null> {
  const ui = (await app.config()).temporalUi.value;
  if (ui === null) return null;
  return workflowPage(ui, namespace, run);
}
