// `renderline codec`: runs the codec server that decrypts payloads for the Temporal UI.
import type { Command } from '@commander-js/extra-typings';
import { isLoopback } from '../../api/private-addresses.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { newToken } from '../../settings/bearer-token.ts';
import { codecKeys, codecVariables } from '../../settings/codec-keys.ts';
import { startCodecServer } from '../../temporal/codec/codec-server.ts';
import { CliError } from '../exit.ts';
import { aborted } from '../interrupts.ts';
import { gather, portNumber } from '../params.ts';
import type { Session } from '../session.ts';

const defaultPort = 4040;
const tokenVariable = 'RENDERLINE_CODEC_TOKEN';

export function declareCodec(command: Command, session: Session): void {
  command
    .option('--port <n>', 'port; 0 takes a free port', portNumber('--port'), defaultPort)
    .option(
      '--host <address>',
      `address to listen on; an address beyond this machine requires ${tokenVariable}`,
      '127.0.0.1',
    )
    .option(
      '--allow-origin <url>',
      'address of a Temporal UI that may use the server (repeatable; default: temporalUi of the settings)',
      gather,
    )
    .action(
      session.action(async ({ host, port, allowOrigin }) => {
        const stop = session.io.interrupts.take();
        const { env } = session.io;
        const keys = codecKeys(env);
        if (keys === null) throw noKeys();
        const set = env[tokenVariable] || null;
        if (set === null && !isLoopback(host)) throw openToAll(host);
        const token = set ?? newToken();
        const ui = (await session.config()).temporalUi.value;
        const origins = (allowOrigin ?? (ui === null ? [] : [ui])).map(originOf);
        const ownNamesOnly = set === null;
        const gate = { token, origins, ownNamesOnly };
        const server = await startCodecServer({ keys, host, port, ...gate });
        const { url } = server;
        const ids = [...keys.keys.keys()];
        // A token from the settings is a secret and is not printed.
        const shown = set === null ? { token } : {};
        const endpoint = `${url}/${set === null ? token : `$${tokenVariable}`}`;
        session.output.answer(
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
        await aborted(stop);
        await server.stop();
        return exitCode.done;
      }),
    );
}

function originOf(url: string): string {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
  if (/^https?:$/.test(protocol)) return origin;
  throw new CliError(commandFailures.USAGE, `--allow-origin ${url} is not an http(s) address.`, {
    fix: 'Give the address of the Temporal UI, for example --allow-origin http://localhost:8233',
  });
}

function noKeys(): CliError {
  return new CliError(
    commandFailures.CONFIG,
    'No payload keys are configured, so nothing can be decrypted.',
    {
      fix: `Set ${codecVariables.keys} or ${codecVariables.file} as on the workers.`,
    },
  );
}

function openToAll(host: string): CliError {
  return new CliError(
    commandFailures.NOT_LOOPBACK,
    `--host ${host} is reachable from other machines; whoever reaches the server can decrypt the data of runs.`,
    { fix: `Set ${tokenVariable}. Clients, or a proxy before the server, must send this token.` },
  );
}
