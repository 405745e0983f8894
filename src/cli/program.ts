// The `renderline` program: its commands, and the exit code of every end.
import { Command, CommanderError } from '@commander-js/extra-typings';
import { exitCode } from '../failures/exit-code.ts';
import { bodyAfterJson } from './api/input.ts';
import { type CommandRow, commands } from './commands/index.ts';
import { explainError } from './exit.ts';
import { aborted } from './interrupts.ts';
import type { Io } from './io.ts';
import { loadWithFiles, openFilesLimit } from './open-files.ts';
import { Session } from './session.ts';
import { packageVersion } from './version.ts';

/**
 * Runs one command line (without `node renderline`) to its end. Gives the exit code.
 * Prints only through `io`, and never ends the process.
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const words = bodyAfterJson(argv);
  const session = new Session(io, words.includes('--json'), runCli);
  const work = parse(session, words);
  const forced = aborted(io.interrupts.forced).then(() => exitCode.interrupted);
  return Promise.race([work, forced]);
}

/** Declares all commands, but loads only those in `words`; the others have a name and a description alone. */
export async function buildProgram(session: Session, words: readonly string[]): Promise<Command> {
  const { io } = session;
  const program = new Command('renderline');
  program
    .description('Pipelines in YAML, compiled into durable Temporal workflows.')
    .version(packageVersion(), '-V, --version')
    .option('--json', 'print one JSON object and nothing else')
    .option('--config <file>', 'renderline.yaml to read (default: nearest upwards)')
    .option('--base-url <url>', 'API root (RENDERLINE_BASE_URL)')
    .option('--task-queue <name>', 'task queue of the workers (RENDERLINE_TASK_QUEUE)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      // `parse` prints the error once, in the form that was asked for.
      outputError: () => {},
    })
    .exitOverride();
  program.hook('preAction', (root) => {
    session.flags = root.opts();
  });
  for (const { term, description, load } of commands) {
    const name = nameOf(term);
    const command = program.command(name).description(description);
    if (!words.includes(name)) continue;
    const declare = await loadWithFiles(await openFilesLimit(), load);
    declare(command, session);
  }
  // Set after the commands were made, so that it applies to the program's own list only.
  const terms = new Map(commands.map(({ term }) => [nameOf(term), term]));
  return program.configureHelp({
    showGlobalOptions: true,
    subcommandTerm: (command) => terms.get(command.name()) ?? 'help [command]',
  });
}

function nameOf(term: CommandRow['term']): string {
  return term.split(' ', 1)[0] ?? term;
}

async function parse(session: Session, argv: readonly string[]): Promise<number> {
  try {
    const program = await buildProgram(session, argv);
    await program.parseAsync([...argv], { from: 'user' });
    return session.end;
  } catch (error) {
    if (error instanceof CommanderError) return endOfCommander(error, session);
    const explanation = explainError(error);
    session.output.error(explanation);
    if (session.io.env['RENDERLINE_LOG'] === 'debug' && error instanceof Error) {
      session.output.note(error.stack ?? '');
    }
    return explanation.exit;
  }
}

function endOfCommander(error: CommanderError, session: Session): number {
  // Help and version that were asked for.
  if (error.exitCode === 0) return exitCode.done;
  // A group without its command has printed its help already.
  if (error.code === 'commander.help') return exitCode.usage;
  session.output.error({
    exit: exitCode.usage,
    code: 'USAGE',
    message: error.message.replace(/^error: /, ''),
    fix: 'See: renderline --help',
  });
  return exitCode.usage;
}
