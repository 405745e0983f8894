// The server of the pages, on this machine only.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { App } from '../app/app.ts';
import { bodyBounds, startFetchServer } from '../settings/fetch-server.ts';
import { createToken } from '../settings/secrets/bearer-token.ts';
import { UiAccess } from './access.ts';
import { DeliveredFiles } from './delivered-files.ts';
import { uiRoutes } from './routes.ts';
import { createUseCases } from './use-cases.ts';

/** Loopback only, because whoever reaches the page acts with this machine's API key. */
const host = '127.0.0.1';

export interface RunningUi {
  readonly url: string;
  /** The address with this token starts the session of a browser. */
  readonly token: string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the server. Rejects if the port is taken.
 * @param options.paths pipeline files and folders of them. @default `.` and `./pipelines`
 * @param options.signal aborts when the server is about to stop
 */
export async function serveUi(
  app: App,
  { paths, port, signal }: { paths: readonly string[]; port: number; signal: AbortSignal },
): Promise<RunningUi> {
  await app.usePlugins();
  const token = createToken();
  const access = new UiAccess(token);
  const routes = uiRoutes({
    useCases: createUseCases(app, signal),
    files: new DeliveredFiles(app.env),
    paths: paths.length > 0 ? paths : await defaultPaths(app.cwd),
    base: access.base,
  });
  const server = await startFetchServer(
    {
      gate: (request) => access.gate(request),
      serve: (request) => routes.fetch(request),
      maxBodyBytes: bodyBounds.form,
    },
    { host, port },
  );
  return { url: `${server.origin}/`, token, stop: () => server.stop() };
}

async function defaultPaths(cwd: string): Promise<string[]> {
  const isFolder = await stat(resolve(cwd, 'pipelines')).then(
    (there) => there.isDirectory(),
    () => false,
  );
  return isFolder ? ['.', 'pipelines'] : ['.'];
}
