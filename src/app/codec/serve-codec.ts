import { waitForAbort } from '../../api/abort.ts';
import { isLoopback } from '../../api/network/private-addresses.ts';
import { commandFailures } from '../../failures/commands.ts';
import { createToken } from '../../settings/secrets/bearer-token.ts';
import { codecVariables, readCodecKeys } from '../../settings/secrets/codec-keys.ts';
import { startCodecServer } from '../../temporal/codec/codec-server.ts';
import type { App } from '../app.ts';
import { RenderlineError, usageError } from '../renderline-error.ts';

export const codecTokenVariable = 'RENDERLINE_CODEC_TOKEN';

export interface ServeCodecOptions {
  host: string;
  /** Port to listen on. With 0, a free port is chosen. */
  port: number;
  /** Addresses of the Temporal UIs that may use the server. @default `temporalUi` of the settings */
  allowOrigin?: readonly string[] | undefined;
}

export interface StartedCodec {
  shape: {
    schema: 'renderline/codec/v1';
    url: string;
    origins: string[];
    /** Ids of the payload keys. */
    keys: string[];
    /** The token, if it was created for this server. Absent if it came from the environment and must stay secret. */
    token?: string;
  };
  /** Where the payload keys come from. */
  keysOrigin: string;
}

/** Serves until `stop` aborts. @throws RenderlineError if keys or a required token are missing or an origin is bad */
export async function serveCodec(
  app: App,
  { host, port, allowOrigin }: ServeCodecOptions,
  { stop, onStarted }: { stop: AbortSignal; onStarted: (codec: StartedCodec) => void },
): Promise<void> {
  const { env } = app;
  const keys = readCodecKeys(env);
  if (keys === null) {
    const message = 'No payload keys are configured, so nothing can be decrypted.';
    const fix = `Set ${codecVariables.keys} or ${codecVariables.file} as on the workers.`;
    throw new RenderlineError(commandFailures.CONFIG, message, { fix });
  }
  const configuredToken = env[codecTokenVariable] || null;
  if (configuredToken === null && !isLoopback(host)) throw tokenRequiredError(host);
  const token = configuredToken ?? createToken();
  const ui = (await app.config()).temporalUi.value;
  const origins = (allowOrigin ?? (ui === null ? [] : [ui])).map(originOf);
  const ownNamesOnly = configuredToken === null;
  const server = await startCodecServer({ keys, host, port, token, origins, ownNamesOnly });
  onStarted({
    shape: {
      schema: 'renderline/codec/v1',
      url: server.url,
      origins,
      keys: [...keys.keys.keys()],
      ...(configuredToken === null ? { token } : {}),
    },
    keysOrigin: keys.origin,
  });
  await waitForAbort(stop);
  await server.stop();
}

function originOf(url: string): string {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
  if (/^https?:$/.test(protocol)) return origin;
  const message = `--allow-origin ${url} is not an http(s) address.`;
  const fix =
    'Specify the address of the Temporal UI, for example --allow-origin http://localhost:8233';
  throw usageError(message, fix);
}

function tokenRequiredError(host: string): RenderlineError {
  const message = `--host ${host} is reachable from other machines; whoever reaches the server can decrypt the data of runs.`;
  const fix = `Set ${codecTokenVariable}. Clients, or a proxy in front of the server, must send this token.`;
  return new RenderlineError(commandFailures.NOT_LOOPBACK, message, { fix });
}
