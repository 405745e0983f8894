// Failures that stop a run or prevent it from starting.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

export const runFailures = defineFailures('run', {
  ALL_PAUSED: {
    title: 'Everything is paused (`pause --all`); nothing starts until it is resumed.',
    fix: 'When the reason no longer applies: renderline resume --all',
    stops: 'later',
    exit: exitCode.paused,
  },
  OTHER_WORKSPACE: {
    title: 'A worker with a key of another workspace received work of this run and refused it.',
    fix: "Start a worker with a key of the run's workspace, use a separate task queue for each workspace, then resume the run.",
    stops: 'auth',
  },
  RECORDS_OF_OTHER_WORKSPACE: {
    title: 'The records that the run would use belong to another workspace.',
    fix: 'Set a separate location for each workspace under `records:` in the file, or set RENDERLINE_API_KEY to a key of the workspace that owns the records.',
    stops: 'never',
  },
  RECORDS_MISSING: {
    title:
      'The records of earlier runs are not where the run looks for them; nothing was started, because all finished work would be paid for again.',
    fix: 'Mount the drive, or restore the records, on all workers, then resume the run. If the pipeline should start again with new records and pay for all its work again: `renderline resume RUN --new-records`',
    stops: 'later',
  },
  LIMIT_EXCEEDED: {
    title: 'The run would exceed its limits; nothing was started.',
    fix: 'Raise `limits` in the file (if a schedule started the run, apply the file again), or reduce the work of the run.',
    stops: 'never',
  },
  QUOTA_TIMEZONE: {
    title: 'Pipeline files that share a render count set different time zones (`limits.renders`).',
    fix: 'Set the same `timezone` in all files that share the count, then run the pipeline again.',
    stops: 'never',
  },
  TOO_MANY_WITHDRAWN: {
    title:
      'More assets are missing from the source than a run may withdraw (`limits.withdrawn`); none was withdrawn.',
    fix: 'Check that the source is complete. If the assets were removed on purpose, raise `limits.withdrawn`, or run once with --withdraw-all.',
  },
  TOO_MANY_FAILURES: {
    title: 'More assets failed than `tolerate` allows.',
    fix: 'Check what failed. Resume the run if it is paused; run again if it has stopped.',
  },
  MANIFEST_UNWRITTEN: {
    title:
      'The files of the run are delivered, but the manifest that lists them could not be written within half an hour.',
    fix: 'Fix the cause in the message, then run the pipeline again: nothing is delivered twice, and the manifest lists all files.',
    stops: 'never',
  },
  CANARY_WAITING: {
    title: 'The first assets (`canary`) are complete, and the others are waiting for approval.',
    fix: 'Check the results, then run `renderline approve RUN` or `renderline cancel RUN`.',
    stops: 'later',
    exit: exitCode.awaitsApproval,
  },
  APPROVAL_WAITING: {
    title: 'Assets of the run are waiting for a decision on their pictures.',
    fix: 'Review them with `renderline ui` or `renderline approve RUN --dry-run`, then run `renderline approve RUN`.',
    stops: 'later',
    exit: exitCode.awaitsApproval,
  },
  CANARY_NOT_APPROVED: {
    title:
      'Nobody approved the first assets in time (`canary.timeout`); the others were not started.',
    fix: 'Run the pipeline again. Complete assets are not processed twice.',
    stops: 'never',
  },
  NO_PLAN: {
    title: 'A workflow was started without a plan: by hand, or by signal-with-start.',
    fix: 'Start runs with `renderline run`. The workflow that was started has done nothing.',
  },
  NAME_OF_ANOTHER_RUN: {
    title: 'The workflow id differs from the name of the run in its input.',
    fix: 'Rerun the run (`renderline rerun RUN`), or reset its workflow in the Temporal UI.',
  },
  FOLDERS_APART: {
    title:
      'The workers are on several hosts, and Renderline cannot tell which host has the folders of the run; nothing was started.',
    fix: 'Set `host:` on the local connectors, or use `renderline run --host NAME`, or use a folder that all hosts share.',
    stops: 'never',
  },
  HOST_AWAY: {
    title: 'The run needs folders of a host on which no worker is running. Nothing was started.',
    fix: 'Start `renderline worker --host NAME` on that host, or correct `host:` of the local connectors.',
    stops: 'never',
  },
  NODE_TYPE_UNKNOWN: {
    title: 'A worker received a step of a node type whose plugin it does not have.',
    fix: 'List the plugin under `plugins:` in the renderline.yaml of every worker, restart the workers, then resume the run.',
    stops: 'later',
  },
  NODE_OPTIONS_UNKNOWN: {
    title:
      'A worker received a step with unknown options: the worker or its plugin is older than the run.',
    fix: 'Start workers of the version that started the run, stop the older ones, then resume the run.',
    stops: 'later',
  },
  PLAN_VERSION: {
    title: 'The worker cannot run the plan, because another version compiled it.',
    fix: 'Start a worker of the version that compiled the plan, and start the run again.',
  },
});
