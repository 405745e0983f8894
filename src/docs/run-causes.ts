// Causes that stop a run until somebody acts, or end it.
import { connectorFailures, type FailureText } from './failure-codes.ts';

/** What every request of a run would meet: nothing new is submitted until it is mended. */
export const runCauses: Readonly<Record<string, FailureText>> = {
  MISSING_API_KEY: { title: 'No API key is set.', fix: 'Set RENDERLINE_API_KEY on the workers.' },
  INVALID_API_KEY: {
    title: 'The key is wrong, revoked or expired.',
    fix: 'Set another RENDERLINE_API_KEY on the workers, restart them, resume the run.',
  },
  WORKSPACE_NOT_FOUND: {
    title: 'The workspace of the key is gone.',
    fix: 'Set a key of another workspace.',
  },
  OTHER_WORKSPACE: {
    title:
      'A worker with a key of another workspace was given work of the run, and has refused it.',
    fix: 'Start a worker with a key of the workspace, give each workspace a task queue of its own, then resume the run.',
  },
  RECORDS_OF_OTHER_WORKSPACE: {
    title: 'The records that the run would build on are those of another workspace.',
    fix: 'Name a place of its own for each workspace under `records:` in the file, or use a key of the workspace that the message names.',
  },
  GEO_RESTRICTED: {
    title: 'The platform refuses the place that the worker is in.',
    fix: 'Run the worker from a place that the workspace allows.',
  },
  LIMIT_EXCEEDED: {
    title: 'The run would exceed the `limits` of its file; nothing was begun.',
    fix: 'Raise them, apply the file again where a schedule started the run, or give it less to do.',
  },
  TOO_MANY_FAILURES: {
    title: 'More assets failed than `tolerate` allows.',
    fix: 'Look at what failed. A paused run goes on when it is resumed; one that stopped is run again.',
  },
  CANARY_WAITING: {
    title: 'The first assets are done (`canary`), and the others wait for approval.',
    fix: 'Look at what was made, then `renderline approve RUN`, or `renderline cancel RUN`.',
  },
  CANARY_NOT_APPROVED: {
    title:
      'Nobody approved the first assets in time (`canary.timeout`); the others were not begun.',
    fix: 'Run the pipeline again: what is complete is not done twice.',
  },
  PLAN_LIMIT_REACHED: {
    title: 'The plan allows no more.',
    fix: 'Delete what is not needed or raise the plan, then resume the run.',
  },
  STORAGE_LIMIT_REACHED: {
    title: 'The storage of the workspace is used up.',
    fix: 'Free some, then resume the run.',
  },
  OPERATION_UNRESOLVED: {
    title:
      "The path of an operation is neither in the platform's description nor in the file or the settings.",
    fix: "Add the lines that the message shows to the file, and run it anew; or to the workers' `renderline.yaml`, restart them and resume the run.",
  },
  MATERIAL_NOT_FOUND: {
    title: 'The library has no material of the name, or of the id, in a swap rule.',
    fix: 'Correct the name, or add the material. Then resume the run, or start it again where it has ended.',
  },
  MATERIAL_AMBIGUOUS: {
    title: 'Several materials of the library bear the name in a swap rule.',
    fix: 'Name one by `materialId`, or rename the others. Then resume the run, or start it again where it has ended.',
  },
  MATERIAL_NOT_READY: {
    title: 'A material in a swap rule is not ready yet.',
    fix: 'Wait until it is ready, then resume the run.',
  },
  MATERIAL_FAILED: {
    title: 'The platform could not process a material in a swap rule.',
    fix: 'Upload its textures again, or name another material. Then resume the run, or start it again where it has ended.',
  },
  COLORWAY_TABLE: {
    title: 'The table of colorways is not there, or cannot be read.',
    fix: 'Correct the lines that the message names, then start the run again.',
  },
  VARIANT_FIELDS: {
    title: 'The platform names the fields of variants otherwise than the settings say.',
    fix: 'Set `fields: { variant: { id: …, name: … } }` in `renderline.yaml`.',
  },
  PROPERTY_NOT_FOUND: {
    title: 'The workspace has no property of this name for such assets.',
    fix: 'Correct the name; `renderline api listProperties` shows them.',
  },
  PROPERTY_AMBIGUOUS: {
    title: 'Two properties have this name.',
    fix: 'Name the property by its id or key.',
  },
  PROPERTY_VALUE: {
    title: 'The property does not take this value.',
    fix: 'Give a value of its type; the message names it.',
  },
  TAG_NOT_FOUND: {
    title: 'The workspace has no tag of this id.',
    fix: 'Correct `tagIds` of `modelScope`.',
  },
  TAG_WITHOUT_MODELS: {
    title: 'No READY or APPROVED model carries the tag of `modelScope`.',
    fix: 'Give the tag to a model on the platform, or correct `tagIds`.',
  },
  TAG_PROPERTY_REFUSED: {
    title: "The property of `modelScope` may be somebody else's; nothing was changed.",
    fix: 'Name a MULTI_SELECT property of models whose name begins with Renderline; its values are cleared in every run.',
  },
  OPTION_NOT_FOUND: {
    title: 'The property has no option of this label.',
    fix: 'Choose one of those in the message.',
  },
  OPTION_AMBIGUOUS: {
    title: 'Two options of the property have this label.',
    fix: 'Name the option by its id.',
  },
  FOLDER_NOT_FOUND: connectorFailures.FOLDER_NOT_FOUND,
  NOT_A_FOLDER: connectorFailures.NOT_A_FOLDER,
  BUCKET_NOT_FOUND: connectorFailures.BUCKET_NOT_FOUND,
  CREDENTIALS_MISSING: connectorFailures.CREDENTIALS_MISSING,
  SECRET_NOT_ALLOWED: connectorFailures.SECRET_NOT_ALLOWED,
  CREDENTIALS_REFUSED: connectorFailures.CREDENTIALS_REFUSED,
  ACCESS_DENIED: connectorFailures.ACCESS_DENIED,
  HOST_KEY_REFUSED: connectorFailures.HOST_KEY_REFUSED,
  CONNECTOR_MISCONFIGURED: connectorFailures.CONNECTOR_MISCONFIGURED,
  DISK_FULL: connectorFailures.DISK_FULL,
  UNWRITABLE: connectorFailures.UNWRITABLE,
  RECORDS_UNREADABLE: connectorFailures.RECORDS_UNREADABLE,
  NO_PLAN: {
    title: 'A workflow was started without a plan: by hand, or by a signal with start.',
    fix: 'Start runs with `renderline run`; what was started so has done nothing.',
  },
  NAME_OF_ANOTHER_RUN: {
    title: 'A workflow was started under another name than that of the run that it was given.',
    fix: 'Do the run again with `renderline rerun`, or reset it in the Temporal UI.',
  },
  PLAN_VERSION: {
    title: 'The worker is of another version than the plan.',
    fix: 'Start a worker of the version that compiled it, and start the run anew.',
  },
};
