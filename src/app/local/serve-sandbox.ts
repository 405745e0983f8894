import { waitForAbort } from '../../api/abort.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { SandboxOptions } from '../../sandbox/interface.ts';
import type { App } from '../app.ts';
import { CleanupStack } from '../cleanup-stack.ts';
import { loadSandbox, lockSandboxData } from './load-sandbox.ts';

type UndefinedAllowed<Options> = { [Name in keyof Options]: Options[Name] | undefined };

export interface SandboxShape {
  schema: 'renderline/sandbox/v1';
  baseUrl: string;
  apiKey: string;
  /** Address of the page with models, projects and renders. */
  page: string;
}

/**
 * Runs the sandbox until `stop` aborts.
 * @param onStarted called once the sandbox is listening
 * @throws RenderlineError SANDBOX_NOT_INSTALLED, DATA_IN_USE
 */
export async function serveSandbox(
  app: App,
  { data, apiKey, ...options }: UndefinedAllowed<SandboxOptions>,
  { stop, onStarted }: { stop: AbortSignal; onStarted: (shape: SandboxShape) => void },
): Promise<void> {
  const cleanup = new CleanupStack((text) => app.note(text));
  try {
    const { startSandbox } = await loadSandbox();
    if (data !== undefined) cleanup.add('the data', await lockSandboxData(data));
    // The key may come from the environment, because all users of a machine can read command lines.
    const key = apiKey ?? (app.env['RENDERLINE_SANDBOX_API_KEY'] || undefined);
    // Undefined options would override the sandbox's defaults.
    const sandbox = await startSandbox(omitUndefined({ ...options, data, apiKey: key }));
    cleanup.add('the sandbox', () => sandbox.stop());
    const { url: baseUrl, origin: page } = sandbox;
    onStarted({ schema: 'renderline/sandbox/v1', baseUrl, apiKey: sandbox.apiKey, page });
    await waitForAbort(stop);
  } finally {
    await cleanup.stopAll();
  }
}
