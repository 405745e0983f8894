// `renderline sandbox`: the platform on this machine, until stopped.
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { exitCode } from '../../failures/exit-code.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { tiers } from '../../sandbox/tiers.ts';
import { aborted } from '../interrupts.ts';
import { loadSandbox } from '../local/load-sandbox.ts';
import { holdSandboxData } from '../local/sandbox-data.ts';
import { anyNumber, gather, parsePairs, portNumber, wholeNumber } from '../params.ts';
import { Resources } from '../resources.ts';
import type { Session } from '../session.ts';

const defaultPort = 4010;

export function declareSandbox(command: Command, session: Session): void {
  command
    .option('--port <n>', 'port; 0 takes a free one', portNumber('--port'), defaultPort)
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option(
      '--api-key <key>',
      'key to accept (default: RENDERLINE_SANDBOX_API_KEY, or a new one, kept with --data)',
    )
    .option('--rate-limit <n>', 'requests in a window; 0 = no limit', anyNumber('--rate-limit'))
    .option('--speed <x>', 'process so many times faster', anyNumber('--speed'))
    .option('--data <dir>', 'keep state and files there over restarts')
    .option('--seed <n>', 'ids and durations follow from it', wholeNumber('--seed'))
    .option('--allow-host <name>', 'name by which it is reached from elsewhere; repeatable', gather)
    .option('--allow-private-urls', 'imports and webhooks may use private addresses')
    .addOption(
      new Option('--tier <plan>', 'plan of the workspace, with limits of its own').choices(tiers),
    )
    .option('--connector <name=dir>', 'folder that pipelines poll; repeatable', gather)
    .option('--faults <file>', 'fault rules (JSON)')
    .option('--window-seconds <n>', 'length of a rate window', anyNumber('--window-seconds'))
    .option('--link-seconds <n>', 'life of signed links', anyNumber('--link-seconds'))
    .option('--key-hours <n>', 'life of idempotency keys', anyNumber('--key-hours'))
    .option('--picture-scale <x>', 'draw at this share of the size', anyNumber('--picture-scale'))
    .action(
      session.action(async ({ data, faults, connector, allowHost = [], ...given }) => {
        const stop = session.io.interrupts.take();
        const { cwd, env } = session.io;
        // Command lines are seen by everybody on the machine.
        const wanted = given.apiKey ?? (env['RENDERLINE_SANDBOX_API_KEY'] || undefined);
        const folder = data === undefined ? undefined : resolve(cwd, data);
        const resources = new Resources((text) => session.output.note(text));
        try {
          const { startSandbox } = await loadSandbox();
          if (folder !== undefined) resources.add('the data', await holdSandboxData(folder));
          const sandbox = await startSandbox({
            // Options that were not given must not hide the sandbox's own defaults.
            ...withoutUndefined({ ...given, apiKey: wanted }),
            ...withoutUndefined({ data: folder }),
            allowHosts: allowHost,
            connectors: foldersOf(cwd, connector),
            ...(faults === undefined ? {} : { faults: resolve(cwd, faults) }),
          });
          resources.add('the sandbox', () => sandbox.stop());
          const { url, origin, apiKey } = sandbox;
          session.output.answer(
            { schema: 'renderline/sandbox/v1', baseUrl: url, apiKey, page: origin },
            () =>
              [
                `export RENDERLINE_BASE_URL=${url}`,
                `export RENDERLINE_API_KEY=${apiKey}`,
                `# Models, projects and renders as pictures: ${origin}/`,
              ].join('\n'),
          );
          await aborted(stop);
        } finally {
          await resources.stopAll();
        }
        return exitCode.done;
      }),
    );
}

/** Folders by the name of their connector, absolute. */
function foldersOf(cwd: string, pairs: readonly string[] | undefined): Record<string, string> {
  const folders = Object.entries(parsePairs('--connector', pairs));
  return Object.fromEntries(folders.map(([name, folder]) => [name, resolve(cwd, folder)]));
}
