// Failures of single assets, whatever their pipeline does.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

export const assetFailures = defineFailures('asset', {
  KEY_INVALID: {
    title: 'The asset key cannot be computed, or it contains characters that are not allowed.',
    fix: 'Correct `key:`, or rename the file or the model.',
  },
  KEY_CLASH: {
    title: 'Two files or two models would get the same key.',
    fix: 'Rename one of the two and run the pipeline again, or change `key:` so that the keys differ and rerun `--with latest`. If the message names another run, change nothing: `renderline rerun RUN --failed` assigns a separate key.',
  },
  OUTPUT_PATH_TAKEN: {
    title: 'Another asset already has a file at this path, and the file is not overwritten.',
    fix: 'Rename one of the assets and run the pipeline again. Or use a separate folder for each asset in `naming` of the export, for example `{{ key }}/{{ output }}.{{ ext }}`, then rerun `--with latest`.',
  },
  SOURCE_GONE: {
    title: 'A source that the rerun needs is missing, or the pipeline no longer selects it.',
    fix: 'Restore the source under its old name, then rerun. A source with a new name counts as new, and the next run processes it.',
  },
  SOURCE_CHANGED: {
    title: 'The file changed while it was being read.',
    fix: 'Run again once the file has stopped changing.',
  },
  UPLOAD_REFUSED: {
    title: "The platform's storage rejected the file.",
    fix: 'If all signed links were refused, check the proxy and the firewall between the worker and the host in the message. Otherwise correct the file as the message says. Then rerun.',
  },
  REFUSED: {
    title: 'The file was rejected before the upload.',
    fix: 'Correct or exclude the file; the message states the reason.',
  },
  EXPRESSION_FAILED: {
    title: 'An expression is valid, but its evaluation failed for this asset.',
    fix: 'Make the expression valid for every asset: check values with `has`, `size` or `matches` first.',
    exit: exitCode.usage,
  },
  API_UNEXPECTED: {
    title:
      'A response from the platform lacks a required field, or the field differs from the API reference.',
    fix: 'If the operation in the message only reads, check its raw response: `renderline api OPERATION`; otherwise check on the platform what it did. If every response is wrong, correct RENDERLINE_BASE_URL: it does not point to the API root.',
    exit: exitCode.unreachable,
  },
  OUTCOME_UNKNOWN: {
    title:
      'A create request may have been sent long ago but received no response, so its outcome is unknown.',
    fix: 'Check on the platform whether the work exists, and delete it if it does. Then `renderline rerun RUN --failed` sends the request again.',
  },
  ID_OF_ANOTHER: {
    title:
      'The platform returned the same id for two assets, so each would use the pictures of the other.',
    fix: 'Run again to create the asset again. If the error persists, report the ids in the message to the platform’s support.',
  },
  RENDER_QUOTA_REACHED: {
    title:
      'The monthly render quota (`limits.renders.perMonth`) is used up, so the render was not submitted.',
    fix: 'Wait until next month or raise `perMonth` in the file, then run `renderline rerun RUN --failed --with latest`. Finished work is not repeated.',
  },
  CLAIM_CONTENTION: {
    title: 'Another run claimed the asset at the same time.',
    fix: 'Run again after the other run has finished.',
  },
  DAMAGED_OBJECT: {
    title: 'A record next to the outputs cannot be read.',
    fix: 'Delete the object that the message names. The asset is then processed from the start.',
  },
  TIMED_OUT: {
    title: 'A step did not finish in time.',
    fix: 'Check that workers are running (`renderline doctor`), then run again.',
  },
  ACTIVITY_FAILED: {
    title: 'A step failed with an unexpected error.',
    fix: "Read the full error on the run's page in the Temporal UI, then: renderline rerun RUN --failed",
  },
  SHARD_CANCELLED: {
    title: 'A shard of the run was cancelled in the Temporal UI, but the run was not.',
    fix: 'Process the assets of the shard with `renderline rerun RUN --failed`. To stop a run, cancel the run itself.',
  },
  SHARD_FAILED: {
    title: 'A shard of the run failed.',
    fix: "Check the reason on the shard's page in the Temporal UI. Process the assets of the shard with `renderline rerun RUN --failed`.",
  },
});
