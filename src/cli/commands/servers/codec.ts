// `renderline codec`: runs the codec server that decrypts payloads for the Temporal UI.
import type { Command } from '@commander-js/extra-typings';
import {
  codecTokenVariable,
  type StartedCodec,
  serveCodec,
} from '../../../app/codec/serve-codec.ts';
import { reword, sharedOptions } from '../../options.ts';
import { collectOption } from '../../params.ts';
import type { Session } from '../../session.ts';

const defaultPort = 4040;

export function declareCodec(command: Command, session: Session): void {
  command
    .option(...sharedOptions.port, defaultPort)
    .option(
      ...reword(
        sharedOptions.listen,
        (text) => `${text}; an address beyond this machine requires ${codecTokenVariable}`,
      ),
      '127.0.0.1',
    )
    .option(
      '--allow-origin <url>',
      'address of a Temporal UI that may use the server (repeatable; default: `temporalUi` in the settings)',
      collectOption,
    )
    .action(
      session.action(async (options) => {
        await serveCodec(session, options, {
          stop: session.io.interrupts.handleFirst(),
          onStarted: (server) => session.output.result(server.shape, () => formatStarted(server)),
        });
      }),
    );
}

function formatStarted({ shape, keysOrigin }: StartedCodec): string {
  const { url, origins, keys, token = `$${codecTokenVariable}` } = shape;
  const endpoint = `${url}/${token}`;
  return [
    `Codec server at ${endpoint}, with the keys ${keys.join(', ')} (${keysOrigin}). Ctrl-C stops it.`,
    origins.length === 0
      ? 'No web page may use the server yet. Allow your Temporal UI: --allow-origin URL'
      : `Pages of ${origins.join(', ')} may use the server. In the Temporal UI, click the glasses icon at the top and enter ${endpoint}`,
    `Command line: temporal workflow show --codec-endpoint ${endpoint} -w RUN`,
  ].join('\n');
}
