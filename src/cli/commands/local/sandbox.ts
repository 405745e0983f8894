// `renderline sandbox`: simulates the platform on this machine until stopped.
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { serveSandbox } from '../../../app/local/serve-sandbox.ts';
import { sandboxDefaults } from '../../../sandbox/defaults.ts';
import { tiers } from '../../../sandbox/tiers.ts';
import { sharedOptions } from '../../options.ts';
import {
  collectOption,
  createIntegerParser,
  createNumberParser,
  parsePairs,
} from '../../params.ts';
import type { Session } from '../../session.ts';

const defaultPort = 4010;

export function declareSandbox(command: Command, session: Session): void {
  command
    .option(...sharedOptions.port, defaultPort)
    .option(...sharedOptions.listen, '127.0.0.1')
    .option(
      '--api-key <key>',
      'accepted API key (default: RENDERLINE_SANDBOX_API_KEY, or a new key, kept with --data)',
    )
    .option(...sharedOptions.rateLimit)
    .option(...sharedOptions.speed, sandboxDefaults.speed)
    .option('--data <dir>', 'folder for state and files that survive restarts')
    .option('--seed <n>', 'seed of ids and durations', createIntegerParser('--seed'))
    .option('--allow-host <name>', 'host name that clients may use (repeatable)', collectOption)
    .option('--allow-private-urls', 'allow private addresses in imports and webhooks')
    .addOption(
      new Option(
        '--tier <plan>',
        `plan of the workspace, which sets its limits (default: ${sandboxDefaults.tier})`,
      ).choices(tiers),
    )
    .option(
      '--connector <name=dir>',
      'folder that platform pipelines poll (repeatable)',
      collectOption,
    )
    .option('--faults <file>', 'JSON file with fault rules')
    .option(
      '--window-seconds <n>',
      `length of a rate window in seconds (default: ${sandboxDefaults.windowSeconds})`,
      createNumberParser('--window-seconds'),
    )
    .option(
      '--link-seconds <n>',
      `lifetime of signed links in seconds (default: ${sandboxDefaults.linkSeconds})`,
      createNumberParser('--link-seconds'),
    )
    .option(
      '--key-hours <n>',
      `lifetime of idempotency keys in hours (default: ${sandboxDefaults.keyHours})`,
      createNumberParser('--key-hours'),
    )
    .option(
      '--picture-scale <x>',
      `scale factor of picture sizes (default: ${sandboxDefaults.pictureScale})`,
      createNumberParser('--picture-scale'),
    )
    .action(
      session.action(async ({ data, faults, connector, allowHost = [], ...flags }) => {
        const { cwd, interrupts } = session.io;
        const options = {
          ...flags,
          data: data === undefined ? undefined : resolve(cwd, data),
          faults: faults === undefined ? undefined : resolve(cwd, faults),
          allowHosts: allowHost,
          connectors: foldersOf(cwd, connector),
        };
        await serveSandbox(session, options, {
          stop: interrupts.handleFirst(),
          onStarted: (shape) =>
            session.output.result(shape, () =>
              [
                `export RENDERLINE_BASE_URL=${shape.baseUrl}`,
                `export RENDERLINE_API_KEY=${shape.apiKey}`,
                `# Models, projects and renders as pictures: ${shape.page}/`,
              ].join('\n'),
            ),
        });
      }),
    );
}

function foldersOf(cwd: string, pairs: readonly string[] | undefined): Record<string, string> {
  const folders = Object.entries(parsePairs('--connector', pairs, 'shop=./files'));
  return Object.fromEntries(folders.map(([name, folder]) => [name, resolve(cwd, folder)]));
}
