// Starts the server of the pages, for the person at this machine or for a team.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { App } from '../app/app.ts';
import { listFiles } from '../app/validate/pipeline-files.ts';
import type { TeamUi } from '../settings/config.ts';
import { ConfigError } from '../settings/config-error.ts';
import { bodyBounds, isLoopbackHost, startFetchServer } from '../settings/fetch-server.ts';
import { createToken } from '../settings/secrets/bearer-token.ts';
import { readLinkKey } from '../settings/secrets/decision-link.ts';
import { UiAccess } from './access.ts';
import { DeliveredFiles } from './delivered-files.ts';
import { createUiRoutes } from './routes.ts';
import { TeamAccess } from './team-access.ts';
import { createUseCases } from './use-cases.ts';
import type { Visitor } from './visitor.ts';

const thisMachine = '127.0.0.1';

interface Access {
  /** Returns the visitor, or why the request is refused. @param sender address that the connection comes from */
  admit: (request: Request, sender: string) => Visitor | Response;
}

export interface RunningUi {
  readonly shape: {
    readonly schema: 'renderline/ui/v1';
    /** Address for the person at this machine, or for the proxy. */
    readonly url: string;
    /** Token in the address that starts the session of a browser. Null for a team. */
    readonly token: string | null;
    readonly paths: readonly string[];
  };
  readonly stop: () => Promise<void>;
}

export interface UiOptions {
  /** Pipeline files, and folders that contain them. @default `.` and `./pipelines` */
  paths: readonly string[];
  port: number;
  /** Address to listen on. Only a team's server may use an address that is not loopback. @default 127.0.0.1 */
  host?: string | undefined;
  signal: AbortSignal;
}

/**
 * Starts the server. Rejects if the port is taken, or if one of the paths does not exist.
 * @throws ConfigError if other machines could reach the pages and `ui` is not configured for a team, or if the pages of
 * a team would be sent without TLS
 */
export async function serveUi(
  app: App,
  { paths, port, host = thisMachine, signal }: UiOptions,
): Promise<RunningUi> {
  await app.usePlugins();
  const { ui } = await app.config();
  const isLoopback = isLoopbackHost(host.includes(':') ? `[${host}]` : host);
  if (ui.value === null && !isLoopback) throw unprotectedError(host);
  const token = createToken();
  const access: Access = ui.value === null ? new UiAccess(token) : openToTeam(app, ui.value);
  const files = new DeliveredFiles(app.env);
  const offeredPaths = paths.length > 0 ? paths : await findDefaultPaths(app.cwd);
  // A missing path is reported here, because it is an error of the command and not of its first page.
  await listFiles(app, offeredPaths);
  const server = await startFetchServer<Visitor>(
    {
      gate: (request, sender) => access.admit(request, sender),
      serve: (request, visitor) => {
        const useCases = createUseCases(app, signal, visitor);
        return createUiRoutes({ useCases, files, paths: offeredPaths, visitor }).fetch(request);
      },
      maxBodyBytes: bodyBounds.form,
    },
    { host, port },
  );
  return {
    shape: {
      schema: 'renderline/ui/v1',
      url: `${server.origin}/`,
      token: ui.value === null ? token : null,
      paths: offeredPaths,
    },
    stop: () => server.stop(),
  };
}

/** @throws ConfigError if the pages would be sent without TLS */
function openToTeam(app: App, settings: TeamUi): TeamAccess {
  const { protocol, host } = new URL(settings.origin);
  if (protocol !== 'https:' && !isLoopbackHost(host)) {
    throw new ConfigError(
      `ui.origin ${settings.origin} is not https, so anybody on the network could read links and use them.`,
      "Serve the pages over HTTPS from a reverse proxy, and set ui.origin to the proxy's https:// address.",
    );
  }
  return new TeamAccess(settings, readLinkKey(app.env), app.now);
}

function unprotectedError(host: string): ConfigError {
  return new ConfigError(
    `Others could reach the pages at ${host} without signing in.`,
    'Remove --host, or set ui.origin and ui.user in renderline.yaml (docs/how-to/approving-as-a-team.md).',
  );
}

async function findDefaultPaths(cwd: string): Promise<string[]> {
  const isFolder = await stat(resolve(cwd, 'pipelines')).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return isFolder ? ['.', 'pipelines'] : ['.'];
}
