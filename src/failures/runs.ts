// Failures that stop a run, or keep it from beginning.
import { defineFailures } from './define.ts';

export const runFailures = defineFailures('run', {
  OTHER_WORKSPACE: {
    title:
      'A worker with a key of another workspace was given work of the run, and has refused it.',
    fix: 'Start a worker with a key of the workspace, give each workspace a task queue of its own, then resume the run.',
    stops: 'auth',
  },
  RECORDS_OF_OTHER_WORKSPACE: {
    title: 'The records that the run would build on are those of another workspace.',
    fix: 'Name a place of its own for each workspace under `records:` in the file, or set RENDERLINE_API_KEY to a key of the workspace that the records are of.',
    stops: 'never',
  },
  LIMIT_EXCEEDED: {
    title: 'The run would exceed the `limits` of its file; nothing was begun.',
    fix: 'Raise `limits` in the file, apply it again where a schedule started the run, or give the run less to do.',
    stops: 'never',
  },
  TOO_MANY_WITHDRAWN: {
    title:
      'More assets are gone from the source than a run may withdraw (`limits.withdrawn`); none was.',
    fix: 'Look if the source is whole. Where they are to go: raise `limits.withdrawn`, or run once with --withdraw-all.',
  },
  TOO_MANY_FAILURES: {
    title: 'More assets failed than `tolerate` allows.',
    fix: 'Look at what failed. A paused run goes on when it is resumed; one that stopped is run again.',
  },
  CANARY_WAITING: {
    title: 'The first assets are done (`canary`), and the others wait for approval.',
    fix: 'Look at what was made, then `renderline approve RUN`, or `renderline cancel RUN`.',
    stops: 'later',
  },
  CANARY_NOT_APPROVED: {
    title:
      'Nobody approved the first assets in time (`canary.timeout`); the others were not begun.',
    fix: 'Run the pipeline again: what is complete is not done twice.',
    stops: 'never',
  },
  NO_PLAN: {
    title: 'A workflow was started without a plan: by hand, or by a signal with start.',
    fix: 'Start runs with `renderline run`; what was started so has done nothing.',
  },
  NAME_OF_ANOTHER_RUN: {
    title: 'A workflow was started under another name than that of the run that it was given.',
    fix: 'Do the run again with `renderline rerun`, or reset it in the Temporal UI.',
  },
  FOLDERS_APART: {
    title:
      'The workers are on several hosts, and nobody can tell which has the folders of the run; nothing was begun.',
    fix: 'Name the host with `host:` at the local connectors, or with `renderline run --host NAME`; or use a folder that all hosts share.',
    stops: 'never',
  },
  HOST_AWAY: {
    title: 'No worker runs on the host whose folders the run needs; nothing was begun.',
    fix: 'Start `renderline worker --host NAME` there, or correct `host:` of the local connectors.',
    stops: 'never',
  },
  NODE_TYPE_UNKNOWN: {
    title: 'A worker was given a step of a node type that it does not have: that of a plugin.',
    fix: 'Name the plugin under `plugins:` in the renderline.yaml of every worker, start them anew, then resume the run.',
    stops: 'later',
  },
  NODE_OPTIONS_UNKNOWN: {
    title:
      'A worker was given a step with options that it does not know: it is older than the run, or its plugin is.',
    fix: 'Start workers of the version that started the run, end the older ones, then resume the run.',
    stops: 'later',
  },
  PLAN_VERSION: {
    title: 'The worker is of another version than the plan.',
    fix: 'Start a worker of the version that compiled it, and start the run anew.',
  },
});
