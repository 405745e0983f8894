// Opens a connection to Temporal, configured by Temporal's own settings, for the duration of a use case.
import type { Client } from '@temporalio/client';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { describePause, resumeAllCommand } from '../plan/run/general-pause.ts';
import { connectTemporal, type TemporalConnection } from '../temporal/connection/connect.ts';
import { listGeneralPauses } from '../temporal/runs/general-pause.ts';
import { workflowUrl } from '../temporal/ui-links.ts';
import type { App } from './app.ts';

/** Calls `task` with the app's connection or with a new one. Never starts a server. Fails within seconds. */
export async function withTemporal<T>(
  app: App,
  task: (temporal: TemporalConnection) => Promise<T>,
  { notesPauses = true, timeoutMs }: { notesPauses?: boolean; timeoutMs?: number } = {},
): Promise<T> {
  if (app.temporal) return task(app.temporal);
  const { env, via } = app;
  const temporal = await connectTemporal({ env, via, ...omitUndefined({ timeoutMs }) });
  const noted = notesPauses ? noteGeneralPauses(app, temporal.client) : undefined;
  try {
    return await task(temporal);
  } finally {
    await noted;
    await temporal.close();
  }
}

const notedApps = new WeakSet<App>();
const pausesTimeoutMs = 2_000;

/** Notes, once per app, what is paused with `pause --all`. Notes nothing if the server does not respond. */
async function noteGeneralPauses(app: App, client: Client): Promise<void> {
  if (notedApps.has(app)) return;
  notedApps.add(app);
  const read = () => listGeneralPauses(client);
  // A signal, because listing sets the deadline of each page itself.
  const ended = AbortSignal.timeout(pausesTimeoutMs);
  const pauses = await client.withAbortSignal(ended, read).catch(() => []);
  for (const pause of pauses) {
    app.note(`${describePause(pause)}. To continue: ${resumeAllCommand(pause)}`);
  }
}

/** Returns the URL of a run in the Temporal UI, or null if the UI's address is not configured. */
export async function runPageUrl(app: App, namespace: string, run: string): Promise<string | null> {
  const ui = (await app.config()).temporalUi.value;
  return ui && workflowUrl(ui, namespace, run);
}
