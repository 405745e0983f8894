// The `renderline` program: its commands, and how any end becomes an exit code.
import { Command, CommanderError } from '@commander-js/extra-typings';
import { exitCode } from '../failures/exit-code.ts';
import { bodyAfterJson } from './api/input.ts';
import { addApi } from './commands/api.ts';
import { addApply } from './commands/apply.ts';
import { addApprove } from './commands/approve.ts';
import { addBackfill } from './commands/backfill.ts';
import { addCancel } from './commands/cancel.ts';
import { addClean } from './commands/clean.ts';
import { addDemo } from './commands/demo.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addFailures } from './commands/failures.ts';
import { addFind } from './commands/find.ts';
import { addGraph } from './commands/graph.ts';
import { addInit } from './commands/init.ts';
import { addMcp } from './commands/mcp.ts';
import { addPause } from './commands/pause.ts';
import { addPlan } from './commands/plan.ts';
import { addPlatform } from './commands/platform.ts';
import { addRerun } from './commands/rerun.ts';
import { addResume } from './commands/resume.ts';
import { addRun } from './commands/run.ts';
import { addRuns } from './commands/runs.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addSchedules } from './commands/schedules.ts';
import { addSchema } from './commands/schema.ts';
import { addShow } from './commands/show.ts';
import { addValidate } from './commands/validate.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { addWorker } from './commands/worker.ts';
import { explainError } from './exit.ts';
import { aborted } from './interrupts.ts';
import type { Io } from './io.ts';
import { Session } from './session.ts';
import { packageVersion } from './version.ts';

/** In the order in which a person meets them; help lists them so. */
const commands = [
  addInit,
  addValidate,
  addSchema,
  addGraph,
  addPlan,
  addRun,
  addRuns,
  addShow,
  addFailures,
  addRerun,
  addExplain,
  addFind,
  addClean,
  addCancel,
  addPause,
  addResume,
  addApprove,
  addApply,
  addSchedules,
  addBackfill,
  addWorker,
  addWebhooks,
  addSandbox,
  addDev,
  addDemo,
  addApi,
  addPlatform,
  addMcp,
  addDoctor,
] as const;

/**
 * Runs one command line (without `node renderline`) to its end.
 * Everything it prints goes through `io`; it never ends the process.
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const words = bodyAfterJson(argv);
  const session = new Session(io, words.includes('--json'));
  const program = buildProgram(session);
  const work = parse(program, session, words);
  const forced = aborted(io.interrupts.forced).then(() => exitCode.interrupted);
  return Promise.race([work, forced]);
}

export function buildProgram(session: Session): Command {
  const { io } = session;
  const program = new Command('renderline')
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
      // Said once, by `parse`, in the form that was asked for.
      outputError: () => {},
    })
    .exitOverride();
  program.hook('preAction', (root) => {
    session.flags = root.opts();
  });
  // Typed as the plain command: each file declares its own options from there on.
  const plain = program as unknown as Command;
  for (const add of commands) add(plain, session);
  return plain;
}

async function parse(program: Command, session: Session, argv: readonly string[]): Promise<number> {
  try {
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
