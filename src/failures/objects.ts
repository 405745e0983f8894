// Failures of commands that name a run, a schedule or a pipeline of the platform.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

const otherName = 'It is named after its pipeline: give one of them another `name:`.';

export const objectFailures = defineFailures('command', {
  RUN_NOT_FOUND: {
    title: 'There is no such run.',
    fix: 'List what there is: renderline runs',
    exit: exitCode.notFound,
  },
  DEPLOYMENT_NOT_FOUND: {
    title: 'There is no such deployment of workers, or several to choose from.',
    fix: 'List what there is: renderline deployments',
    exit: exitCode.notFound,
  },
  VERSION_NOT_FOUND: {
    title: 'The deployment has no such build, or none to go back to.',
    fix: 'List what there is: renderline deployments. A build is known once a worker of it has started.',
    exit: exitCode.notFound,
  },
  VERSION_REFUSED: {
    title: 'Temporal does not give new runs to this build.',
    fix: 'Start workers of the build for every task queue of the deployment, or add --force.',
    exit: exitCode.runFailed,
  },
  NO_HISTORIES: {
    title: 'There was nothing to replay, so nothing is known of the build.',
    fix: 'Look at the settings (renderline doctor), --query and --task-queue; where nothing may be open: --allow-none.',
    exit: exitCode.notFound,
  },
  RUN_OPEN: {
    title: 'The run has not ended.',
    fix: 'Wait for it, resume it where it is paused, or cancel it.',
  },
  RUN_ENDED: {
    title: 'The run has ended, so nothing can be done with it any more.',
    fix: 'See how: renderline show RUN',
  },
  RUN_BROKE: {
    title: 'The run ended by itself before it had done anything.',
    fix: 'See its page in the Temporal UI, or: renderline show RUN',
    exit: exitCode.runFailed,
  },
  RUN_FORGOTTEN: {
    title: 'Temporal has forgotten the run, and its plan with it; its records are still there.',
    fix: 'Redo it with the file as it is now.',
    exit: exitCode.notFound,
  },
  RECORDS_UNKNOWN: {
    title: 'Temporal does not say where the run keeps its records.',
    fix: 'It was not started by this version; its page in the Temporal UI tells more.',
    exit: exitCode.notFound,
  },
  RECORDS_MOVED: {
    title: 'The file keeps its records elsewhere than the run does.',
    fix: 'Correct the file or its parameters, or redo the run with its own plan. Where the records were moved, run the file instead.',
  },
  PLAN_NOT_CHOSEN: {
    title: 'Nobody can tell whether the file of the run has changed.',
    fix: 'Say which plan is meant, by --with.',
  },
  PLAN_DIFFERS: {
    title: 'The file gives another plan than the run was started with.',
    fix: 'Say which plan is meant, by --with.',
  },
  FILE_NOT_KNOWN: {
    title: 'The file that the run was started from is not known, or not there any more.',
    fix: 'Name it.',
  },
  SOURCES_GONE: {
    title: 'No source of the run can be taken again.',
    fix: 'Put the files back, or run the pipeline for what is there now.',
    exit: exitCode.notFound,
  },
  NOTHING_TAKEN: {
    title: 'The run ended before it had found its assets.',
    fix: 'See why, then run the pipeline anew.',
    exit: exitCode.notFound,
  },
  NOTHING_CHOSEN: {
    title: 'Nothing that the pipeline takes fits what was chosen for the run.',
    fix: 'See what there is: renderline plan FILE --json. A glob such as shoes/** reaches across folders, shoes/* does not.',
    exit: exitCode.notFound,
  },
  NO_MATCH: {
    title: 'Nothing that the run has left fits the condition.',
    fix: 'See what failed: renderline failures RUN',
    exit: exitCode.notFound,
  },
  KEY_NOT_FOUND: {
    title: 'There is no asset of this key.',
    fix: 'The node of the root in the file says what it takes and leaves out.',
    exit: exitCode.notFound,
  },
  ID_NOT_FOUND: {
    title: 'No run that could be looked through has this id.',
    fix: 'Look further back, or in the file that the run was started from.',
    exit: exitCode.notFound,
  },
  WAITS_FOR_APPROVAL: {
    title: 'The run is not to be resumed but approved.',
    fix: 'Look at what it made, and approve: renderline approve RUN',
  },
  NOT_ASKED_YET: {
    title: 'The run does not wait for approval yet.',
    fix: 'Follow it until it asks: renderline show RUN --wait',
    exit: exitCode.later,
  },
  ASKS_FOR_NOTHING: {
    title: 'The run waits for no approval.',
    fix: 'See how it is: renderline show RUN',
  },
  NO_WORKER: {
    title: 'No worker answers for the run.',
    fix: 'Start one: renderline worker',
    exit: exitCode.later,
  },
  WORKERS_FAIL: {
    title: 'The workers of the run fail at its workflow.',
    fix: 'Mend what the message names, then: renderline show RUN --wait',
    exit: exitCode.later,
  },
  FOREIGN_SCHEDULE: {
    title: 'A schedule of this name was made by something else.',
    fix: 'Give the pipeline another `name:`, or remove that schedule with its own tool.',
  },
  SCHEDULE_NOT_FOUND: {
    title: 'There is no such schedule.',
    fix: 'List what there is: renderline schedules',
    exit: exitCode.notFound,
  },
  SCHEDULE_MADE_MEANWHILE: {
    title: 'The schedule was made by somebody else a moment ago.',
    fix: 'Apply again.',
    exit: exitCode.later,
  },
  SCHEDULE_REFUSED: {
    title: 'Temporal refuses the schedule.',
    fix: 'Change its times in the file.',
  },
  FOREIGN_INTAKE: {
    title: 'Events start a pipeline of this name at another task queue already.',
    fix: 'Give the pipeline another `name:`, or end that intake: apply the folder without the file there, with --prune.',
  },
  PRUNE_NEEDS_FOLDERS: {
    title: 'A single file cannot tell which schedules there should be.',
    fix: 'Apply the folders that hold all of them: renderline apply DIR --prune',
  },
  OF_ANOTHER_FILE: {
    title: 'A schedule or intake of this name belongs to another file; nothing was changed.',
    fix: 'Give the pipeline another `name:`, or apply with --take where the file has moved or is to take its place.',
  },
  SCHEDULE_TWICE: {
    title: 'Two files have a schedule of one name.',
    fix: otherName,
  },
  INTAKE_TWICE: { title: 'Two files take up events under one name.', fix: otherName },
  PIPELINE_NOT_FOUND: {
    title: 'The platform has no such pipeline.',
    fix: 'See what there is: renderline platform list',
    exit: exitCode.notFound,
  },
  AMBIGUOUS_PIPELINE: {
    title: 'Several pipelines of the platform are called so.',
    fix: 'Name one by its id.',
  },
  NODES_NOT_ON_PLATFORM: {
    title: 'The file has nodes that the platform does not have.',
    fix: 'Run the file here (renderline run), or take them out.',
  },
  NODES_DIFFER: {
    title: 'The file has other nodes than the pipeline of the platform; nothing was written.',
    fix: 'Pull into a new file, or push this one.',
  },
});
