// The `renderline` program. It parses a command line, runs the command and returns the exit code.
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { waitForAbort } from '../api/abort.ts';
import { loadOrExplain, readOpenFilesLimit } from '../app/open-files.ts';
import { readPackageVersion } from '../app/read-package-version.ts';
import { explainError } from '../app/renderline-error.ts';
import { exitCode } from '../failures/exit-code.ts';
import { assertNoEmptyValues, toUsageError } from './commander-errors.ts';
import { commands, nameOf } from './commands/index.ts';
import type { Io } from './io.ts';
import { Session } from './session.ts';

/**
 * Runs one command line (without `node renderline`) and returns its exit code.
 * Prints only through `io` and never exits the process.
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === '__complete') return completeLine(argv.slice(2), io);
  const isQuiet = argv.includes('-q') || argv.includes('--quiet');
  const session = new Session(io, argv.includes('--json'), { quiet: isQuiet });
  const result = parse(session, argv);
  const forced = waitForAbort(io.interrupts.forced).then(() => {
    if (session.resumeHint !== null)
      session.output.questionContext(`\n${session.resumeHint}`, false);
    return exitCode.interrupted;
  });
  return Promise.race([result, forced]);
}

/** Prints the completions that a shell requests with `__complete -- WORDS`. */
async function completeLine(words: readonly string[], io: Io): Promise<number> {
  const session = new Session(io, false, { quiet: true });
  const { complete } = await import('./completion/complete.ts');
  io.stdout.write(await complete(session, await buildProgram(session, words), words));
  return exitCode.done;
}

/** Declares all commands but loads only those that appear in `words`. The others have only a name and a description. */
export async function buildProgram(session: Session, words: readonly string[]): Promise<Command> {
  const { io, output } = session;
  const program = new Command('renderline');
  program
    .helpCommand(false)
    .description('Pipelines in YAML, compiled into durable Temporal workflows.')
    .version(readPackageVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .optionsGroup('Options of every command:')
    .option('--json', 'print the result, or the error, to stdout as one JSON object')
    .option('-q, --quiet', 'print only the result and errors, no notes and no progress')
    .option(
      '--config <file>',
      'renderline.yaml to read (default: the nearest one in this repository)',
    )
    .option('--base-url <url>', 'API root (RENDERLINE_BASE_URL)')
    .option('--task-queue <name>', 'task queue of the workers (RENDERLINE_TASK_QUEUE)')
    .configureOutput({
      // Commander writes the help in parts. `printHelpText` prints all of it.
      writeOut: (text) => {
        session.helpText += text;
      },
      // Commander writes this help if the command line contains no command.
      writeErr: (text) => {
        if (!output.json) io.stderr.write(text);
      },
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      // Nothing is printed here, because `parse` prints the error once, as text or JSON.
      outputError: () => {},
    })
    .addHelpText('after', '\nStart with: renderline demo, or renderline init')
    .exitOverride();
  program.hook('preAction', async (root, command) => {
    session.flags = root.opts();
    assertNoEmptyValues(command);
    // The settings are read even if the command needs none, so that a wrong --config is reported.
    if (session.flags.config !== undefined) await session.config();
  });
  let heading = '';
  for (const row of commands) {
    heading = row.heading ?? heading;
    const name = nameOf(row);
    const command = program
      .command(name)
      .description(row.description)
      .helpGroup(`${heading}:`)
      .helpOption('-h, --help', 'show this help');
    if (!words.includes(name)) continue;
    const declare = await loadOrExplain(await readOpenFilesLimit(), row.load);
    declare(command, session);
    await addExamples(command, name);
  }
  // Commands inherit this setting when they are created. Set after them, it affects only the top-level list.
  const terms = new Map(commands.map((row) => [nameOf(row), row.term]));
  return program.configureHelp({
    subcommandTerm: (command) => terms.get(command.name()) ?? command.name(),
  });
}

async function addExamples(command: CommandUnknownOpts, path: string): Promise<void> {
  const { formatExamples } = await import('./help/examples.ts');
  command.addHelpText('after', `${formatExamples(path)}\n${globalOptionsHint}`);
  for (const child of command.commands) await addExamples(child, `${path} ${child.name()}`);
}

const globalOptionsHint = '\nGlobal options (--json, --quiet, …): renderline --help';

async function parse(session: Session, argv: readonly string[]): Promise<number> {
  try {
    return await execute(await buildProgram(session, argv), session, argv);
  } catch (error) {
    const explanation = explainError(error);
    session.output.error(explanation);
    if (session.io.env['RENDERLINE_LOG'] === 'debug' && error instanceof Error) {
      session.output.note(error.stack ?? '');
    }
    return explanation.exit;
  }
}

async function execute(program: Command, session: Session, argv: readonly string[]) {
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return printHelpText(session, program.version());
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // This is not an error: commander throws with exit code 0 after --help and --version.
    if (error.exitCode === 0) return printHelpText(session, program.version());
    // Commander has already printed the help as text, because there was no command.
    if (error.code === 'commander.help' && !session.output.json) return exitCode.usage;
    throw toUsageError(error, program, argv);
  }
}

/** Prints the help or the version if the command line requested one of them. */
function printHelpText({ helpText, output, exitCode: code }: Session, version = ''): number {
  if (helpText === `${version}\n`)
    output.result({ schema: 'renderline/version/v1', version }, () => version);
  else if (helpText !== '') output.help(helpText);
  return code;
}
