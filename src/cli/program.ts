// The `renderline` program: its commands, and the exit code of every end.
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { exitCode } from '../failures/exit-code.ts';
import { bodyAfterJson } from './api/input.ts';
import { grouped, nameOf } from './commands/groups.ts';
import { commands } from './commands/index.ts';
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
  if (argv[0] === '__complete') return completeLine(argv.slice(2), io);
  const words = bodyAfterJson(argv);
  const isQuiet = words.includes('-q') || words.includes('--quiet');
  const session = new Session(io, words.includes('--json'), {
    quiet: isQuiet,
    program: runCli,
  });
  const work = parse(session, words);
  const forced = aborted(io.interrupts.forced).then(() => {
    if (session.wayBack !== null) session.output.subject(`\n${session.wayBack}`, false);
    return exitCode.interrupted;
  });
  return Promise.race([work, forced]);
}

/** Answers the completion of a shell: `__complete -- WORDS`. */
async function completeLine(words: readonly string[], io: Io): Promise<number> {
  const session = new Session(io, false, { quiet: true });
  const { complete } = await import('./completion/complete.ts');
  io.stdout.write(await complete(session, await buildProgram(session, words), words));
  return exitCode.done;
}

/** Declares all commands, but loads only those in `words`; the others have a name and a description alone. */
export async function buildProgram(session: Session, words: readonly string[]): Promise<Command> {
  const { io } = session;
  const program = new Command('renderline');
  program
    .description('Pipelines in YAML, compiled into durable Temporal workflows.')
    .version(packageVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .optionsGroup('Options of every command:')
    .option('--json', 'print one JSON object and nothing else')
    .option('-q, --quiet', 'print the answer and errors, no remarks and no progress')
    .option(
      '--config <file>',
      'renderline.yaml to read (default: the nearest one of this repository)',
    )
    .option('--base-url <url>', 'API root (RENDERLINE_BASE_URL)')
    .option('--task-queue <name>', 'task queue of the workers (RENDERLINE_TASK_QUEUE)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      // `parse` prints the error once, in the form that was asked for.
      outputError: () => {},
    })
    .addHelpText('after', '\nBegin with: renderline demo, or renderline init')
    .exitOverride();
  program.hook('preAction', (root) => {
    session.flags = root.opts();
  });
  for (const { row, heading } of grouped(commands)) {
    const name = nameOf(row);
    const command = program
      .command(name)
      .description(row.description)
      .helpGroup(`${heading}:`)
      .helpOption('-h, --help', 'show this help');
    if (!words.includes(name)) continue;
    const declare = await loadWithFiles(await openFilesLimit(), row.load);
    declare(command, session);
    await addExamples(command, name);
  }
  const help = new Command('help');
  help.argument('[command]');
  program.addHelpCommand(help.description('show the help of a command').helpGroup('More:'));
  // Set after the commands were made, so that it applies to the program's own list only.
  const terms = new Map(commands.map((row) => [nameOf(row), row.term]));
  return program.configureHelp({
    subcommandTerm: (command) => terms.get(command.name()) ?? 'help [command]',
  });
}

/** Ends the help of a command, and of those below it, with lines to type. */
async function addExamples(command: CommandUnknownOpts, path: string): Promise<void> {
  const { exampleText } = await import('./commands/examples.ts');
  command.addHelpText('after', `${exampleText(path)}\n${ofEveryCommand}`);
  for (const below of command.commands) await addExamples(below, `${path} ${below.name()}`);
}

const ofEveryCommand = '\nOptions of every command (--json, --quiet, …): renderline --help';

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
