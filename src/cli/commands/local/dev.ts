// `renderline dev`: runs Temporal, sandbox, receiver and worker on this machine until stopped.
import { relative, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { type DevEnvironment, serveDev } from '../../../app/local/serve-dev.ts';
import { quoteForShell } from '../../../plan/helpers/quote-for-shell.ts';
import { sandboxDefaults } from '../../../sandbox/defaults.ts';
import { sharedOptions } from '../../options.ts';
import type { Session } from '../../session.ts';

export function declareDev(command: Command, session: Session): void {
  command
    .option('--data <dir>', 'folder for state that survives restarts', '.renderline/dev')
    .option(...sharedOptions.speed, sandboxDefaults.speed)
    .option(...sharedOptions.rateLimit)
    .action(
      session.action(async ({ data, speed, rateLimit }) => {
        const { io, output } = session;
        const folder = resolve(io.cwd, data);
        const options = { folder, speed, rateLimit };
        await serveDev(session, options, {
          stop: io.interrupts.handleFirst(),
          onStarted: (environment) =>
            output.result(environment.shape, () => formatStarted(environment, io.cwd)),
          onStopping: () =>
            output.note(
              `Stopping … The state is kept in ${folder}; \`renderline dev\` continues from it.`,
            ),
        });
      }),
    );
}

function formatStarted({ shape, exports }: DevEnvironment, cwd: string): string {
  const { temporalUi, sandbox, data, envFile } = shape;
  return [
    '# In another terminal, run the next line, then: renderline run FILE --wait',
    '# For files with `on:` or `schedule:`:  renderline apply FILES',
    `. ${formatSourceArgument(cwd, envFile)}    # or these lines:`,
    ...exports,
    ...(temporalUi === null ? [] : [`# Runs in the Temporal UI: ${temporalUi}`]),
    `# Pictures of the sandbox:  ${sandbox}`,
    `# State is kept in ${data}. Ctrl-C stops everything.`,
  ].join('\n');
}

/** Formats a path for the shell's `.` command, which would search PATH for a name without a slash. */
function formatSourceArgument(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  return quoteForShell(inside.startsWith('..') || !inside.includes('/') ? path : inside);
}
