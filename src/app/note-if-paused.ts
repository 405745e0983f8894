// Notes a general pause for use cases that need no Temporal.
import type { App } from './app.ts';

const timeoutMs = 1_000;

/** Notes what is paused if a Temporal server answers within a second; otherwise notes nothing. Never rejects. */
export async function noteIfPaused(app: App): Promise<void> {
  const timeout = new Promise<void>((resolve) => {
    setTimeout(resolve, timeoutMs).unref();
  });
  await Promise.race([readAndNote(app).catch(() => undefined), timeout]);
}

async function readAndNote(app: App): Promise<void> {
  // Imported lazily, because these use cases otherwise load no client of Temporal.
  const { withTemporal } = await import('./temporal-client.ts');
  await withTemporal(app, async () => undefined, { timeoutMs });
}
