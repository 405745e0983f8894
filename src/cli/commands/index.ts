// The commands of the program. Each module is loaded only when its command is named, and imports statically what it
// needs, so this table is the one place where commands are loaded late.
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../session.ts';

/** Adds arguments, options and the action to a command. */
type Declare = (command: Command, session: Session) => void;

export interface CommandRow {
  /** Name and arguments as help lists them. */
  term: string;
  description: string;
  load: () => Promise<Declare>;
}

/** In the order in which a person meets them; help lists them so. */
export const commands: readonly CommandRow[] = [
  {
    term: 'init [options] [dir]',
    description: 'write a pipeline for your folder of models, settings, and a schema for editors',
    load: async () => (await import('./init.ts')).declareInit,
  },
  {
    term: 'validate <paths...>',
    description:
      'check pipeline files, folders or standard input: all problems at once, as file:line:col',
    load: async () => (await import('./validate.ts')).declareValidate,
  },
  {
    term: 'schema [options]',
    description: 'print the JSON schema that editors check pipeline files, or test files, by',
    load: async () => (await import('./schema.ts')).declareSchema,
  },
  {
    term: 'graph [options] <file>',
    description: 'draw the pipeline: terminal, Mermaid or DOT',
    load: async () => (await import('./graph.ts')).declareGraph,
  },
  {
    term: 'plan [options] <file>',
    description: 'show what a run would do, cost and take; writes nothing',
    load: async () => (await import('./plan.ts')).declarePlan,
  },
  {
    term: 'test [options] [paths...]',
    description: 'play the tests of pipelines, on a platform and a clock of their own',
    load: async () => (await import('./test.ts')).declareTest,
  },
  {
    term: 'run [options] <file>',
    description: 'start a run; with --wait follow it to its end',
    load: async () => (await import('./run.ts')).declareRun,
  },
  {
    term: 'runs [options]',
    description: 'list runs, newest first',
    load: async () => (await import('./runs.ts')).declareRuns,
  },
  {
    term: 'show [options] <run>',
    description: 'show a run by asset and step',
    load: async () => (await import('./show.ts')).declareShow,
  },
  {
    term: 'failures <run>',
    description: 'show what failed in a run, by cause',
    load: async () => (await import('./failures.ts')).declareFailures,
  },
  {
    term: 'report [options] [run]',
    description:
      'write what a run made and what failed as a page with its pictures; --since: of all runs',
    load: async () => (await import('./report.ts')).declareReport,
  },
  {
    term: 'rerun [options] <run> [file]',
    description: 'do again what a run has not delivered; shows it first',
    load: async () => (await import('./rerun.ts')).declareRerun,
  },
  {
    term: 'explain [options] <subject> [file]',
    description: 'tell why the next run takes an asset or passes it over, or what a code means',
    load: async () => (await import('./explain.ts')).declareExplain,
  },
  {
    term: 'find [options] <id> [file]',
    description: 'find the runs that have an id of the platform, with asset, node and page',
    load: async () => (await import('./find.ts')).declareFind,
  },
  {
    term: 'clean [options] <file>',
    description: 'delete what runs of a pipeline made on the platform and nothing uses any more',
    load: async () => (await import('./clean.ts')).declareClean,
  },
  {
    term: 'cancel [options] <run>',
    description: 'cancel a run, and on the platform what it still can',
    load: async () => (await import('./cancel.ts')).declareCancel,
  },
  {
    term: 'pause [options] <run>',
    description: 'stop submitting; what the platform works on goes on',
    load: async () => (await import('./pause.ts')).declarePause,
  },
  {
    term: 'resume [options] <run>',
    description: 'go on with a paused run',
    load: async () => (await import('./resume.ts')).declareResume,
  },
  {
    term: 'approve [options] <run>',
    description:
      'let a run go on after its first assets, or deliver changed pictures; shows them first',
    load: async () => (await import('./approve.ts')).declareApprove,
  },
  {
    term: 'apply [options] <paths...>',
    description:
      'make Temporal’s schedules and intakes of events match the files; shows the difference first',
    load: async () => (await import('./apply.ts')).declareApply,
  },
  {
    term: 'schedules',
    description:
      'list what starts by itself: next starts, last runs, what is paused or fails, and why',
    load: async () => (await import('./schedules.ts')).declareSchedules,
  },
  {
    term: 'backfill [options] <name>',
    description: 'run a schedule for starts of the past; shows them first',
    load: async () => (await import('./backfill.ts')).declareBackfill,
  },
  {
    term: 'audit [options]',
    description: 'list who did what to runs, schedules, intakes and deployments, when and why',
    load: async () => (await import('./audit.ts')).declareAudit,
  },
  {
    term: 'worker [options]',
    description: 'carry out runs until stopped',
    load: async () => (await import('./worker.ts')).declareWorker,
  },
  {
    term: 'deployments',
    description: 'list versions of the workers, and choose which of them gets new runs',
    load: async () => (await import('./deployments.ts')).declareDeployments,
  },
  {
    term: 'replay [options] [paths...]',
    description: 'check that open runs could go on with this program, before it is released',
    load: async () => (await import('./replay.ts')).declareReplay,
  },
  {
    term: 'webhooks [options]',
    description: "receive the platform's notifications: waits look at once, events start runs",
    load: async () => (await import('./webhooks.ts')).declareWebhooks,
  },
  {
    term: 'codec [options]',
    description: 'decrypt payloads for the Temporal UI, on this machine',
    load: async () => (await import('./codec.ts')).declareCodec,
  },
  {
    term: 'sandbox [options]',
    description: 'serve the whole platform API on this machine',
    load: async () => (await import('./sandbox.ts')).declareSandbox,
  },
  {
    term: 'dev [options]',
    description: 'run Temporal, the sandbox, a receiver and a worker together on this machine',
    load: async () => (await import('./dev.ts')).declareDev,
  },
  {
    term: 'demo [options]',
    description: 'render a small catalogue on this machine and show the pictures',
    load: async () => (await import('./demo.ts')).declareDemo,
  },
  {
    term: 'api [options] [operation]',
    description: 'call any operation of the platform API',
    load: async () => (await import('./api.ts')).declareApi,
  },
  {
    term: 'platform',
    description: "the platform's own pipelines",
    load: async () => (await import('./platform.ts')).declarePlatform,
  },
  {
    term: 'ui [options] [paths...]',
    description:
      'a page on this machine: start pipelines, follow runs, approve them by their pictures',
    load: async () => (await import('./ui.ts')).declareUi,
  },
  {
    term: 'mcp [options]',
    description:
      'serve pipelines and the platform as MCP tools: over stdio, or HTTP on this machine',
    load: async () => (await import('./mcp.ts')).declareMcp,
  },
  {
    term: 'completion <shell>',
    description: 'print the script by which bash, zsh or fish complete commands',
    load: async () => (await import('./completion.ts')).declareCompletion,
  },
  {
    term: 'doctor [options] [files...]',
    description: 'check settings, key, clocks, Temporal and workers',
    load: async () => (await import('./doctor.ts')).declareDoctor,
  },
];
