// The commands of the program. A command's module is loaded only if the command line contains the command. Only this
// table uses dynamic imports. The command modules use static imports.
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../session.ts';

/** Adds arguments, options and the action to a command. */
type Declare = (command: Command, session: Session) => void;

export interface CommandRow {
  /** Heading in the help of the group that starts with this command. */
  heading?: string;
  /** Name and arguments, as shown in the help. */
  term: string;
  description: string;
  load: () => Promise<Declare>;
}

/** All commands, in the order of the help. */
export const commands: readonly CommandRow[] = [
  {
    heading: 'Write a pipeline',
    term: 'init [options] [dir]',
    description:
      'create a pipeline for your folder of models, with settings and a schema for editors',
    load: async () => (await import('./pipelines/init.ts')).declareInit,
  },
  {
    term: 'validate [options] <paths...>',
    description:
      'check pipeline files, folders or standard input, and list all problems at once as file:line:col',
    load: async () => (await import('./pipelines/validate.ts')).declareValidate,
  },
  {
    term: 'test [options] [paths...]',
    description: 'run the tests of pipelines on a simulated platform and clock',
    load: async () => (await import('./pipelines/test.ts')).declareTest,
  },
  {
    term: 'schema [options]',
    description: 'print the JSON schema of pipeline files, test files or shared parts, for editors',
    load: async () => (await import('./pipelines/schema.ts')).declareSchema,
  },
  {
    term: 'graph [options] <file>',
    description: 'draw a pipeline in the terminal, or as Mermaid or DOT',
    load: async () => (await import('./pipelines/graph.ts')).declareGraph,
  },
  {
    heading: 'Run it',
    term: 'plan [options] <file>',
    description: 'show the work, cost and assets of the next run; writes nothing',
    load: async () => (await import('./pipelines/plan.ts')).declarePlan,
  },
  {
    term: 'run [options] <file>',
    description:
      'start a run, and follow it to its end with --wait; asks first only with --only, --where, --force or --limit',
    load: async () => (await import('./runs/run.ts')).declareRun,
  },
  {
    term: 'runs [options]',
    description: 'list runs, newest first',
    load: async () => (await import('./runs/runs.ts')).declareRuns,
  },
  {
    term: 'show [options] <run>',
    description: 'show the progress, the cost and the assets of a run',
    load: async () => (await import('./runs/show.ts')).declareShow,
  },
  {
    term: 'report [options] [run]',
    description:
      'write a page with the pictures and failures of a run, or of all runs with --since',
    load: async () => (await import('./runs/report.ts')).declareReport,
  },
  {
    term: 'failures [options] [run]',
    description:
      'show what failed in a run (default: the latest), or in all runs with --since, by cause',
    load: async () => (await import('./runs/failures.ts')).declareFailures,
  },
  {
    term: 'rerun [options] [run] [file]',
    description:
      'rerun the assets that a run, or all runs with --since, did not deliver; shows them and asks first',
    load: async () => (await import('./runs/rerun.ts')).declareRerun,
  },
  {
    term: 'explain [options] <subject> [file]',
    description: 'show why the next run processes or skips an asset, or what a code means',
    load: async () => (await import('./runs/explain.ts')).declareExplain,
  },
  {
    heading: 'Control a run',
    term: 'approve [options] <run>',
    description: 'approve what a run is waiting for, or reject assets; shows it and asks first',
    load: async () => (await import('./runs/approve.ts')).declareApprove,
  },
  {
    term: 'link [options] <run>',
    description: 'create a link for one person to decide on the pictures of a run',
    load: async () => (await import('./runs/link.ts')).declareLink,
  },
  {
    term: 'pause [options] [run]',
    description:
      'pause a run, or everything with --all: nothing new is submitted, but submitted work continues on the platform',
    load: async () => (await import('./runs/control.ts')).declarePause,
  },
  {
    term: 'resume [options] [run]',
    description: 'continue a paused run, or everything with --all',
    load: async () => (await import('./runs/control.ts')).declareResume,
  },
  {
    term: 'cancel [options] <run>',
    description: 'cancel a run and its queued work on the platform, without asking',
    load: async () => (await import('./runs/control.ts')).declareCancel,
  },
  {
    term: 'audit [options]',
    description: 'list who changed runs, schedules, event triggers and deployments, when and why',
    load: async () => (await import('./runs/audit.ts')).declareAudit,
  },
  {
    heading: 'Schedules and event triggers',
    term: 'apply [options] <paths...>',
    description:
      "make Temporal's schedules and event triggers match the files; shows the difference, then applies it without asking",
    load: async () => (await import('./schedules/apply.ts')).declareApply,
  },
  {
    term: 'schedules [command]',
    description:
      'list schedules and event triggers with their next starts, last runs and failures; pause, resume or trigger schedules',
    load: async () => (await import('./schedules/schedules.ts')).declareSchedules,
  },
  {
    term: 'backfill [options] <name>',
    description: "start a schedule's runs for times in the past; shows them and asks first",
    load: async () => (await import('./schedules/backfill.ts')).declareBackfill,
  },
  {
    heading: 'Platform',
    term: 'find [options] <id> [file]',
    description: 'find the runs and assets that a platform id belongs to',
    load: async () => (await import('./platform/find.ts')).declareFind,
  },
  {
    term: 'clean [options] <file>',
    description:
      'delete unused resources that runs of a pipeline created on the platform; shows them and asks first',
    load: async () => (await import('./platform/clean.ts')).declareClean,
  },
  {
    term: 'api [options] [operation]',
    description: 'call any operation of the platform API',
    load: async () => (await import('./platform/api.ts')).declareApi,
  },
  {
    term: 'platform [command]',
    description: "list, push or pull the platform's own pipelines, or show their jobs",
    load: async () => (await import('./platform/platform.ts')).declarePlatform,
  },
  {
    heading: 'Workers and servers',
    term: 'worker [options]',
    description: 'execute runs until stopped',
    load: async () => (await import('./servers/worker.ts')).declareWorker,
  },
  {
    term: 'deployments [command]',
    description:
      'list worker versions, and choose which one gets new runs: set-current, ramp, rollback, move',
    load: async () => (await import('./servers/deployments.ts')).declareDeployments,
  },
  {
    term: 'replay [options] [paths...]',
    description: 'check before a release that this build can continue the open runs',
    load: async () => (await import('./servers/replay.ts')).declareReplay,
  },
  {
    term: 'webhooks [options]',
    description: 'receive platform notifications, which wake up workers and start runs',
    load: async () => (await import('./servers/webhooks.ts')).declareWebhooks,
  },
  {
    term: 'codec [options]',
    description: 'decrypt payloads for the Temporal UI, on this machine',
    load: async () => (await import('./servers/codec.ts')).declareCodec,
  },
  {
    term: 'mcp [options]',
    description: 'serve pipelines and the platform as MCP tools, over stdio or local HTTP',
    load: async () => (await import('./servers/mcp.ts')).declareMcp,
  },
  {
    heading: 'On this machine',
    term: 'demo [options]',
    description: 'render a small catalog on this machine and show the pictures',
    load: async () => (await import('./local/demo.ts')).declareDemo,
  },
  {
    term: 'dev [options]',
    description: 'run Temporal, the sandbox, a receiver and a worker together on this machine',
    load: async () => (await import('./local/dev.ts')).declareDev,
  },
  {
    term: 'ui [options] [paths...]',
    description: 'serve web pages to start, follow and approve runs, on this machine or to a team',
    load: async () => (await import('./local/ui.ts')).declareUi,
  },
  {
    term: 'sandbox [options]',
    description: 'simulate the whole platform API on this machine',
    load: async () => (await import('./local/sandbox.ts')).declareSandbox,
  },
  {
    term: 'doctor [options] [files...]',
    description: 'check settings, API key, clocks, Temporal and workers',
    load: async () => (await import('./local/doctor.ts')).declareDoctor,
  },
  {
    term: 'completion <shell>',
    description: 'print the completion script for bash, zsh or fish',
    load: async () => (await import('./local/completion.ts')).declareCompletion,
  },
  {
    heading: 'More',
    term: 'help [command...]',
    description: 'show the help of a command',
    load: async () => (await import('./local/help.ts')).declareHelp,
  },
];

/** Returns the name of a command without its arguments. */
export function nameOf({ term }: CommandRow): string {
  return term.split(' ', 1)[0] ?? term;
}
