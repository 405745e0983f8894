// Failures of single assets, whatever their pipeline does.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

export const assetFailures = defineFailures('asset', {
  KEY_INVALID: {
    title: 'The key cannot be used or made.',
    fix: 'Correct `key:`, or rename the file or model.',
  },
  KEY_CLASH: {
    title: 'Two files, or two models, would have one key.',
    fix: 'Rename one, or tell them apart in `key:`.',
  },
  OUTPUT_PATH_TAKEN: {
    title: 'Another asset has a file of the same name, which is not replaced.',
    fix: 'Rename one of them, or give each asset a folder in `naming` of the export, as in `{{ key }}/{{ output }}.{{ ext }}`, then run again.',
  },
  SOURCE_GONE: {
    title: 'What a rerun was to take is not there any more, or the pipeline does not take it.',
    fix: 'Put it back under its name, then rerun; what is called otherwise now is new, and the next run takes it.',
  },
  SOURCE_CHANGED: {
    title: 'The file changed while it was taken.',
    fix: 'Run again once it has stopped changing.',
  },
  UPLOAD_REFUSED: {
    title: 'Storage would not take the file.',
    fix: 'The message has its reason; correct the file, then run again.',
  },
  REFUSED: { title: 'The file was refused before upload.', fix: 'The message says why.' },
  EXPRESSION_FAILED: {
    title: 'An expression was sound but failed on this asset.',
    fix: 'Make it hold for every name: test with `has`, `size` or `matches` first.',
    exit: exitCode.usage,
  },
  API_UNEXPECTED: {
    title: 'The platform answered otherwise than its reference says, in a part that is needed.',
    fix: 'See the answer as it comes: `renderline api OPERATION`; where all are so, RENDERLINE_BASE_URL is not the API root.',
    exit: exitCode.unreachable,
  },
  OUTCOME_UNKNOWN: {
    title: 'A creating request was sent long ago and its answer never came.',
    fix: 'Look on the platform whether the work exists, then run again.',
  },
  ID_OF_ANOTHER: {
    title:
      'The platform gave one id to two assets, so each would take the other’s pictures for its own.',
    fix: 'Run again: it is made anew. Where it stays so, report the ids in the message to the platform’s support.',
  },
  CLAIM_CONTENTION: {
    title: 'Another run wanted the asset at the same moment.',
    fix: 'Run again when it has ended.',
  },
  DAMAGED_OBJECT: {
    title: 'A record beside the outputs cannot be read.',
    fix: 'Delete the object that the message names; the asset is done anew.',
  },
  TIMED_OUT: {
    title: 'A step did not end in time.',
    fix: 'Look whether workers run (`renderline doctor`), then run again.',
  },
  ACTIVITY_FAILED: {
    title: 'A step failed for a reason nobody foresaw.',
    fix: "The run's page in the Temporal UI has all of it.",
  },
  SHARD_CANCELLED: {
    title: 'Somebody cancelled a part of the run in the Temporal UI, and not the run.',
    fix: '`renderline rerun RUN --failed` takes up its assets; to end a run, cancel the run.',
  },
  SHARD_FAILED: {
    title: 'A part of the run ended by itself.',
    fix: "The part's page in the Temporal UI has the reason; `renderline rerun RUN --failed` takes up its assets.",
  },
});
