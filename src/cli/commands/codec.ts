// `renderline codec`: runs the codec server that decrypts payloads for the Temporal UI.
import type { Command } from '@commander-js/extra-typings';
import { isLoopback } from '../../api/network/private-addresses.ts';
import { untilAborted } from '../../app/interrupts.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { createToken } from '../../settings/secrets/bearer-token.ts';
import { codecVariables, readCodecKeys } from '../../settings/secrets/codec-keys.ts';
import { startCodecServer } from '../../temporal/codec/codec-server.ts';
import { collectOption, portParser } from '../params.ts';
import type { Session } from '../session.ts';

const defaultPort = 4040;
const tokenVariable = 'RENDERLINE_CODEC_TOKEN';

export function declareCodec(command: Command, session: Session): void {
  command
    .option('--port <n>', 'port; 0 takes a free port', portParser('--port'), defaultPort)
    .option(
      '--host <address>',
      `address to listen on; an address beyond this machine requires ${tokenVariable}`,
      '127.0.0.1',
    )
    .option(
      '--allow-origin <url>',
      'address of a Temporal UI that may use the server (repeatable; default: temporalUi of the settings)',
      collectOption,
    )
    .action(
      session.action(async ({ host, port, allowOrigin }) => {
        const stop = session.io.interrupts.handleFirst();
        const { env } = session.io;
        const keys = readCodecKeys(env);
        if (keys === null) throw noKeysError();
        const configuredToken = env[tokenVariable] || null;
        if (configuredToken === null && !isLoopback(host)) throw tokenRequiredError(host);
        const token = configuredToken ?? createToken();
        const ui = (await session.config()).temporalUi.value;
        const origins = (allowOrigin ?? (ui === null ? [] : [ui])).map(originOf);
        const ownNamesOnly = configuredToken === null;
        const gate = { token, origins, ownNamesOnly };
        const server = await startCodecServer({ keys, host, port, ...gate });
        const { url } = server;
        const ids = [...keys.keys.keys()];
        // A token from the settings is a secret and is not printed.
        const shown = configuredToken === null ? { token } : {};
        const endpoint = `${url}/${configuredToken === null ? token : `$${tokenVariable}`}`;
        session.output.result(
          { schema: 'renderline/codec/v1', url, origins, keys: ids, ...shown },
          () =>
            [
              `Codec server at ${endpoint}, with the keys ${ids.join(', ')} (${keys.origin}). Ctrl-C stops it.`,
              origins.length === 0
                ? 'No web page may use it yet. Allow your Temporal UI: --allow-origin URL'
                : `Pages of ${origins.join(', ')} may use it. In the Temporal UI click the glasses at the top and enter ${endpoint}`,
              `Command line: temporal workflow show --codec-endpoint ${endpoint} -w RUN`,
            ].join('\n'),
        );
        await untilAborted(stop);
        await server.stop();
        return exitCode.done;
      }),
    );
}

function originOf(url: string): string {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
  if (/^https?:$/.test(protocol)) return origin;
  throw new RenderlineError(
    commandFailures.USAGE,
    `--allow-origin ${url} is not an http(s) address.`,
    {
      fix: 'Give the address of the Temporal UI, for example --allow-origin http://localhost:8233',
    },
  );
}

function noKeysError(): RenderlineError {
  return new RenderlineError(
    commandFailures.CONFIG,
    'No payload keys are configured, so nothing can be decrypted.',
    {
      fix: `Set ${codecVariables.keys} or ${codecVariables.file} as on the workers.`,
    },
  );
}

function tokenRequiredError(host: string): RenderlineError {
  return new RenderlineError(
    commandFailures.NOT_LOOPBACK,
    `--host ${host} is reachable from other machines; whoever reaches the server can decrypt the data of runs.`,
    { fix: `Set ${tokenVariable}. Clients, or a proxy before the server, must send this token.` },
  );
}
