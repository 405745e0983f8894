// Failures of commands about runs and their records, workers, schedules, triggers and pipelines.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

const otherName = 'The name comes from the pipeline: change `name:` in one of the two files.';

export const objectFailures = defineFailures('command', {
  RUN_NOT_FOUND: {
    title: 'The run does not exist.',
    fix: 'List the runs: renderline runs',
    exit: exitCode.notFound,
  },
  DEPLOYMENT_NOT_FOUND: {
    title: 'The worker deployment does not exist, or there are several and none was specified.',
    fix: 'List the deployments: renderline deployments',
    exit: exitCode.notFound,
  },
  VERSION_NOT_FOUND: {
    title:
      'The build does not exist in the deployment, or there is no earlier build to roll back to.',
    fix: 'List the builds: renderline deployments. A build is registered when its first worker starts.',
    exit: exitCode.notFound,
  },
  VERSION_REFUSED: {
    title: 'Temporal refused to route new runs to this build.',
    fix: 'Start workers of the build for every task queue of the deployment, or add --force.',
    exit: exitCode.runFailed,
  },
  NO_HISTORIES: {
    title: 'No histories were found to replay, so the build was not tested.',
    fix: 'Check the settings (renderline doctor), --query and --task-queue. If no open workflow is expected, add --allow-none.',
    exit: exitCode.notFound,
  },
  RUN_OPEN: {
    title: 'The run has not finished.',
    fix: 'Wait until the run has finished. If the run is paused, resume it. Or cancel the run.',
  },
  RUN_ENDED: {
    title: 'The run has finished, so it can no longer be changed.',
    fix: 'See its result: renderline show RUN',
  },
  LINK_USED: {
    title: 'This link has already been used; each link works only once.',
    fix: 'If more decisions are needed, ask for a new link.',
  },
  RUN_BROKE: {
    title: 'The run failed before it did any work.',
    fix: "See the run's page in the Temporal UI, or: renderline show RUN",
    exit: exitCode.runFailed,
  },
  RUN_FORGOTTEN: {
    title: 'Temporal has deleted the run and its plan; the records of the run still exist.',
    fix: 'Rerun the run with the current file: renderline rerun RUN FILE --with latest',
    exit: exitCode.notFound,
  },
  RECORDS_UNKNOWN: {
    title: 'Temporal does not show where the run stores its records.',
    fix: "See the run's page in the Temporal UI: another version of Renderline started the run.",
    exit: exitCode.notFound,
  },
  RECORDS_MOVED: {
    title: 'The file and the run use different record locations.',
    fix: 'Correct the file or its parameters, or rerun the run with its own plan. If the records were moved, run the file instead.',
  },
  PLAN_NOT_CHOSEN: {
    title: "Renderline cannot tell whether the run's file has changed.",
    fix: 'Choose the plan: --with pinned (the plan of the run) or --with latest (the plan of the current file).',
  },
  PLAN_DIFFERS: {
    title: "The file no longer compiles to the run's plan.",
    fix: 'Choose the plan: --with pinned (the plan of the run) or --with latest (the plan of the current file).',
  },
  FILE_NOT_KNOWN: {
    title: 'The file that the run was started from is unknown or no longer exists.',
    fix: 'Specify the path of the file.',
  },
  SOURCES_GONE: {
    title: 'None of the sources of the run can be read again.',
    fix: 'Restore the files, or run the pipeline with the current files.',
    exit: exitCode.notFound,
  },
  NOTHING_TAKEN: {
    title: 'The run finished before it had discovered its assets.',
    fix: 'See the cause (renderline show RUN), then start a new run of the pipeline.',
    exit: exitCode.notFound,
  },
  NOTHING_CHOSEN: {
    title: "No asset in the pipeline matches the run's selection.",
    fix: 'See the keys: renderline run FILE --force --dry-run --json. A glob such as shoes/** matches subfolders, shoes/* does not.',
    exit: exitCode.notFound,
  },
  NO_MATCH: {
    title: 'No asset of the run matches the condition.',
    fix: 'See what failed: renderline failures RUN',
    exit: exitCode.notFound,
  },
  KEY_NOT_FOUND: {
    title: 'No asset has this key.',
    fix: 'Check the spelling of the key, and which assets the root node selects and excludes.',
    exit: exitCode.notFound,
  },
  ID_NOT_FOUND: {
    title: 'No searched run contains this id.',
    fix: 'Check the id. To search the records of a certain pipeline: renderline find ID FILE',
    exit: exitCode.notFound,
  },
  WAITS_FOR_APPROVAL: {
    title: 'The run is waiting for approval and cannot be resumed.',
    fix: 'Check its results, then approve it: renderline approve RUN',
  },
  NOT_ASKED_YET: {
    title: 'The run is not waiting for approval yet.',
    fix: 'Wait until it asks for approval: renderline show RUN --wait',
    exit: exitCode.later,
  },
  ASKS_FOR_NOTHING: {
    title: 'The run is not waiting for approval.',
    fix: 'See its status: renderline show RUN',
  },
  NOTHING_TO_CHOOSE: {
    title: 'No asset in the run is waiting for an individual decision.',
    fix: 'Approve the first assets (`canary`) as a whole: renderline approve RUN',
    exit: exitCode.notFound,
  },
  NO_WORKER: {
    title: 'No worker responds for the run.',
    fix: 'Start a worker: renderline worker',
    exit: exitCode.later,
  },
  WORKERS_FAIL: {
    title: "Workers repeatedly fail the run's workflow tasks.",
    fix: 'Fix the cause that the message names, then: renderline show RUN --wait',
    exit: exitCode.later,
  },
  FOREIGN_SCHEDULE: {
    title: 'A schedule with this name exists, and Renderline did not create it.',
    fix: "Change the pipeline's `name:`, or delete the schedule with the tool that created it.",
  },
  SCHEDULE_NOT_FOUND: {
    title: 'The schedule does not exist.',
    fix: 'List the schedules: renderline schedules',
    exit: exitCode.notFound,
  },
  SCHEDULE_MADE_MEANWHILE: {
    title: 'Somebody else created the schedule a moment ago.',
    fix: 'Apply again.',
    exit: exitCode.later,
  },
  SCHEDULE_REFUSED: {
    title: 'Temporal rejected the schedule.',
    fix: 'Correct the times of the schedule in the pipeline file.',
  },
  FOREIGN_EVENT_TRIGGER: {
    title: 'A pipeline with this name already has an event trigger on another task queue.',
    fix: "Change the pipeline's `name:`, or remove the other event trigger: delete its file, then renderline apply DIR --prune --task-queue QUEUE",
  },
  PRUNE_NEEDS_FOLDERS: {
    title: 'A single file does not show which schedules are obsolete, so `--prune` needs folders.',
    fix: 'Apply the folders of all pipelines: renderline apply DIR --prune',
  },
  OF_ANOTHER_FILE: {
    title:
      'A schedule, event trigger or HTTP start with this name belongs to another file; nothing was changed.',
    fix: "Change the pipeline's `name:`. If the file was moved or replaces the other file, apply with --take.",
  },
  SCHEDULE_DAYS: {
    title: 'Temporal cannot represent the days of a schedule.',
    fix: 'Correct the field that the message names.',
  },
  CALENDAR_UNREADABLE: {
    title: 'A calendar (.ics) of a schedule cannot be read, or has no all-day events.',
    fix: 'Correct the calendar or its entry under `except:`; nothing was applied.',
  },
  SCHEDULE_TWICE: {
    title: 'Two files define a schedule with the same name.',
    fix: otherName,
  },
  FOREIGN_HTTP_START: {
    title: 'A pipeline with this name is already started by HTTP on another task queue.',
    fix: "Change the pipeline's `name:`, or remove the other HTTP start: delete its file, then renderline apply DIR --prune --task-queue QUEUE",
  },
  HTTP_START_TWICE: {
    title: 'Two files define an HTTP start with the same name.',
    fix: otherName,
  },
  EVENT_TRIGGER_TWICE: {
    title: 'Two files define an event trigger with the same name.',
    fix: otherName,
  },
  PIPELINE_NOT_FOUND: {
    title: 'The pipeline does not exist on the platform.',
    fix: 'List the pipelines: renderline platform list',
    exit: exitCode.notFound,
  },
  AMBIGUOUS_PIPELINE: {
    title: 'Several pipelines on the platform have this name.',
    fix: 'Use the id of the pipeline.',
  },
  NODES_NOT_ON_PLATFORM: {
    title: 'The file has nodes that the platform does not support.',
    fix: 'Run the file here (renderline run), or remove these nodes.',
  },
  NODES_DIFFER: {
    title:
      'The nodes of the file differ from those of the pipeline on the platform; nothing was written.',
    fix: 'Pull into a new file, or push this file.',
  },
});
