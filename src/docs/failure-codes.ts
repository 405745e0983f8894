// What the codes of failed assets and of stopped runs mean, and what to do. The pages are made of this;
// a test looks in the source for codes that are missing here.
import type { ConnectorErrorCode } from '../connectors/connector-error.ts';
import type { RejectCode, WarningCode } from '../glb/look-result.ts';
import { libraryFailures } from './library-failures.ts';
import { variantFailures } from './variant-failures.ts';

export interface FailureText {
  title: string;
  fix: string;
}

const replace = 'Export the model again and replace the file.';

/** Found by looking at the file before anything is uploaded. */
export const refusedFiles: Readonly<Record<RejectCode, FailureText>> = {
  FILE_GONE: {
    title: 'The file was there when the run began and is gone now.',
    fix: 'Put it back; the next run takes it.',
  },
  UNREADABLE: {
    title: 'The file cannot be read.',
    fix: 'Let the user of the worker read it; where the message says EIO, look at the disk or the network drive.',
  },
  EMPTY_FILE: { title: 'The file has no bytes.', fix: replace },
  NOT_A_GLB: {
    title: 'The file is named .glb and is something else.',
    fix: 'Give it its right extension, or export it as GLB.',
  },
  UNSUPPORTED_VERSION: {
    title: 'The file is glTF of another version than 2.',
    fix: 'Export it as glTF 2.0.',
  },
  TRUNCATED: {
    title: 'The file ends before its own length.',
    fix: 'Copy it again: it was cut on its way.',
  },
  LENGTH_MISMATCH: { title: 'The length in the header is not that of the file.', fix: replace },
  CHUNK_TOO_BIG: { title: 'A part of the file is longer than the file.', fix: replace },
  NO_JSON_CHUNK: { title: 'The file has no scene description.', fix: replace },
  JSON_TOO_BIG: {
    title: 'The scene description is larger than can be looked at.',
    fix: 'Keep pictures and geometry in the binary part, and join what is drawn alike.',
  },
  INVALID_JSON: { title: 'The scene description is not valid JSON.', fix: replace },
  NOT_GLTF2: { title: 'The JSON is not glTF 2.0.', fix: 'Export it as glTF 2.0.' },
  INVALID_SCHEMA: { title: 'The scene description breaks the rules of glTF.', fix: replace },
  INVALID_VARIANTS: { title: 'The material variants contradict themselves.', fix: replace },
  UNRESOLVED_REFERENCE: { title: 'The file refers to a part that it does not have.', fix: replace },
  OUT_OF_BOUNDS: { title: 'The file refers to bytes beyond its end.', fix: replace },
  EXTERNAL_BUFFER: {
    title: 'The geometry is in another file, which cannot be uploaded with it.',
    fix: 'Export it as one GLB.',
  },
  GLB_BOMB: {
    title: 'The file would unpack to far more than it is.',
    fix: 'Export it anew; do not trust it otherwise.',
  },
  NODE_CYCLE: { title: 'Nodes of the scene contain each other.', fix: replace },
  TOO_DEEP: { title: 'The scene is nested too deeply.', fix: 'Flatten its hierarchy.' },
  NOT_A_ZIP: { title: 'The file is named .usdz and is no archive.', fix: replace },
  NOT_AN_FBX: { title: 'The file is named .fbx and is something else.', fix: replace },
  NOT_AN_OBJ: { title: 'The file is named .obj and is something else.', fix: replace },
};

/** Worth saying about a file that is uploaded all the same. */
export const fileWarnings: Readonly<Record<WarningCode, FailureText>> = {
  EXTERNAL_TEXTURE: {
    title: 'A texture is in another file, which is not uploaded with the model.',
    fix: 'Export the model with its textures inside.',
  },
  UNKNOWN_REQUIRED_EXTENSION: {
    title: 'The model asks for an extension of glTF that is not known here.',
    fix: 'Look at its picture; the platform may know the extension.',
  },
};

/** Of files and folders, on the way in and out. */
export const connectorFailures: Readonly<
  Record<Exclude<ConnectorErrorCode, keyof typeof refusedFiles>, FailureText>
> = {
  DISK_FULL: { title: 'No space is left.', fix: 'Free some space, then resume the run.' },
  UNWRITABLE: {
    title: 'The folder cannot be written to.',
    fix: 'Let the user of the worker write there, then resume the run.',
  },
  RECORDS_UNREADABLE: {
    title: 'The records of the run cannot be read, or are not where this worker looks for them.',
    fix: 'Bring their folder back as it was: mounted, readable, and the same for every worker. Then resume the run.',
  },
  FOLDER_NOT_FOUND: {
    title: 'The folder does not exist.',
    fix: 'Correct the parameter, or make the folder on the machine of the worker.',
  },
  NOT_A_FOLDER: {
    title: 'A file stands where a folder is needed.',
    fix: 'Name a folder, or move the file away.',
  },
  HOSTILE_PATH: {
    title: 'The name cannot be used, or leads out of the folder.',
    fix: 'Rename the file.',
  },
  TOO_LARGE: { title: 'The file is larger than is allowed here.', fix: 'Make it smaller.' },
  BUCKET_NOT_FOUND: {
    title: 'The bucket or container does not exist.',
    fix: 'Correct its name, region or endpoint, or make it; Renderline makes none.',
  },
  CREDENTIALS_MISSING: {
    title: 'The worker has no credentials for a connector.',
    fix: 'Set them in the environment of the worker and of the command, then resume the run.',
  },
  SECRET_NOT_ALLOWED: {
    title: 'A connector names a variable of the environment that no pipeline file may use.',
    fix: 'Rename it so that it begins with RENDERLINE_SECRET_, or let the operator put it on RENDERLINE_ALLOW_SECRETS; keys of the worker itself stay its own.',
  },
  CREDENTIALS_REFUSED: {
    title: 'The credentials of a connector are not accepted.',
    fix: 'Correct or renew them in the environment of the worker, then resume the run.',
  },
  ACCESS_DENIED: {
    title: 'The credentials of a connector may not do this.',
    fix: 'Let them list, read, write and remove there, then resume the run.',
  },
  HOST_KEY_REFUSED: {
    title: 'A server shows another host key than the one that is trusted, or none is trusted.',
    fix: 'Compare the fingerprint with that of the server, and write it under `hostKey:`.',
  },
  CONNECTOR_MISCONFIGURED: {
    title: 'A connector cannot be used as it is written.',
    fix: 'Correct the connector in the file.',
  },
  CONNECTOR_UNREACHABLE: {
    title: 'The place of a connector does not answer, or too many files are open.',
    fix: 'Check its endpoint and the network, or the limit of open files; the run tries again by itself.',
  },
  TOO_MANY_OPEN_FILES: {
    title: 'No more files may be open at once on the machine of the worker.',
    fix: 'Raise the limit of open files (`ulimit -n`) of the worker, and start it anew; the run tries again by itself.',
  },
  UNKNOWN_CONNECTOR: {
    title: 'The worker does not know this type of connector.',
    fix: 'Start a worker of the version that compiled the pipeline.',
  },
};

/** Of an asset on its way. `TEMPLATE_NOT_FOUND` and others of the platform can stand here too. */
export const assetFailures: Readonly<Record<string, FailureText>> = {
  KEY_INVALID: {
    title: 'The key cannot be used or made.',
    fix: 'Correct `key:`, or rename the file or model.',
  },
  KEY_CLASH: {
    title: 'Two files, or two models, would have one key.',
    fix: 'Rename one, or tell them apart in `key:`.',
  },
  NO_FILE_TYPE: {
    title: 'The platform takes no file of this extension.',
    fix: 'Leave it out with `exclude`, or convert it.',
  },
  REFUSED: { title: 'The file was refused before upload.', fix: 'The message says why.' },
  UPLOAD_REFUSED: {
    title: 'Storage would not take the file.',
    fix: 'The message has its reason; correct the file, then run again.',
  },
  SOURCE_CHANGED: {
    title: 'The file changed while it was taken.',
    fix: 'Run again once it has stopped changing.',
  },
  EXPRESSION_FAILED: {
    title: 'An expression was sound but failed on this asset.',
    fix: 'Make it hold for every name: test with `has`, `size` or `matches` first.',
  },
  MODEL_NOT_CREATED: {
    title: 'The platform made no model record for the file.',
    fix: 'The message has its reason where it gave one; run again.',
  },
  MODEL_FAILED: {
    title: 'The platform could not process the model.',
    fix: 'Open it in a viewer; the platform gives a reason only for imports.',
  },
  MODEL_REJECTED: {
    title: 'The model was rejected on the platform.',
    fix: 'Ask who reviews models there.',
  },
  MODEL_REQUIRED: {
    title: 'The platform waits for another model file.',
    fix: 'Upload the model on the platform, or replace the file.',
  },
  MODEL_NOT_FOUND: {
    title: 'The model is not in the workspace.',
    fix: 'Run again: a file is uploaded anew. Take it out of `select` or `modelScope` where these name its id.',
  },
  MODEL_NOT_READY: {
    title: 'A model that `modelScope` names by its id is neither READY nor APPROVED.',
    fix: 'Wait until the platform has processed it, then run again; the message has its status.',
  },
  MODEL_TIMEOUT: {
    title: 'The model was not ready within `timeout`.',
    fix: 'Run again, it is looked at anew; raise `timeout` of `model_ready` for large models.',
  },
  NO_MODEL: {
    title: 'The asset has no model.',
    fix: 'Look at `when:` of the nodes before: one passed the asset over.',
  },
  NO_TEMPLATE: {
    title: 'No rule of `template_match` fits.',
    fix: 'Add a rule, or a `default`.',
  },
  TEMPLATE_AMBIGUOUS: {
    title: 'Two templates have this name.',
    fix: 'Name the template by its id.',
  },
  TEMPLATE_NOT_FOUND: {
    title: 'There is no template of this name or id.',
    fix: 'Choose one of those in the message, or of `renderline api listTemplates`.',
  },
  ...variantFailures,
  ...libraryFailures,
  PROJECT_NOT_CREATED: {
    title: 'The platform made no project.',
    fix: 'The message has its reason where it gave one; run again.',
  },
  RENDER_NOT_STARTED: {
    title: 'The platform started no render job for the project.',
    fix: 'Run again.',
  },
  RENDER_FAILED: {
    title: 'The render failed, also when it was started again.',
    fix: "The message is the platform's; raise `maxRetries` where it is a passing trouble.",
  },
  RENDER_CANCELLED: {
    title: 'The render was cancelled on the platform.',
    fix: 'Run again to start another.',
  },
  RENDER_JOB_NOT_FOUND: {
    title: 'The render is not in the workspace.',
    fix: 'Run again to start another.',
  },
  RENDER_NOT_FOUND: {
    title: 'The output is not in the workspace.',
    fix: 'Take its id out of `select`.',
  },
  RENDER_NOT_FINISHED: {
    title: 'The render job that `select` names has not ended well.',
    fix: 'Wait until it is COMPLETED, then run again.',
  },
  RENDER_TIMEOUT: {
    title: 'The render did not end within `timeout`.',
    fix: 'Rerun: a render that has ended meanwhile is taken, not paid twice.',
  },
  NO_RENDER: {
    title: 'The asset has no render to wait for.',
    fix: 'Look at `when:` of the nodes before: one passed the asset over.',
  },
  NO_OUTPUT: {
    title: 'The render ended without any picture.',
    fix: 'Look at `settings` of `render`: they may leave nothing to draw.',
  },
  OUTPUT_OF_ANOTHER: {
    title: 'The platform gives a render job of another project for that of the asset.',
    fix: 'Ask the platform’s support which job is the right one, then run again.',
  },
  OUTPUT_FORMAT: {
    title: 'The picture is not of the format that was asked for.',
    fix: 'Run again; report it to the platform where it stays so.',
  },
  OUTPUT_TOO_LARGE: {
    title:
      'The picture has more pixels, or more beside its pixels, than what was asked for can have, or takes too long to decode.',
    fix: 'Raise `maxPixels` in `verify` of the export where it is right as it is, then run again.',
  },
  OUTPUT_TOO_SMALL: {
    title: 'The picture is smaller than `verify` allows.',
    fix: 'Raise `imageQuality`, or lower `minWidth` and `minHeight`.',
  },
  OUTPUT_REFUSED: {
    title: 'Storage would not hand out the file, also when it was asked six times.',
    fix: 'Run again; if it stays so, look at the render on the platform.',
  },
  OUTPUT_UNREACHABLE: {
    title:
      'The file did not come: its connection broke, or storage had trouble, at each of six tries.',
    fix: 'Run again: nothing is paid twice. If it stays so, check that the worker reaches the host in the message.',
  },
  OUTPUT_TWICE: {
    title: 'The platform lists one output of a render twice, so another one may be missing.',
    fix: 'Run again; report it to the platform where it stays so.',
  },
  OUTPUT_PATH_TAKEN: {
    title: 'Another asset has a file of the same name, which is not replaced.',
    fix: 'Give each asset a folder in `naming` of the export, as in `{{ key }}/{{ output }}.{{ ext }}`, then run again.',
  },
  OUTPUT_UNNAMED: {
    title: 'Nothing is left of the name of a file.',
    fix: 'Put `{{ key }}` into `naming` of the export, then run again.',
  },
  OUTPUT_BLANK: {
    title: 'The picture shows one single colour.',
    fix: 'Look at model and template; `verify: { notBlank: false }` lets it pass.',
  },
  OUTPUT_UNREADABLE: {
    title: 'The picture or document cannot be read.',
    fix: 'Run again; report it to the platform where it stays so.',
  },
  NOTICE_REFUSED: {
    title: 'A receiver has not taken the notice of a `notify` node.',
    fix: 'Mend the receiver, or its `url` and secret; the next run tells of the asset.',
  },
  API_UNEXPECTED: {
    title: 'The platform answered otherwise than its reference says, in a part that is needed.',
    fix: 'Look at it on the platform; `renderline api OPERATION` shows the answer as it comes.',
  },
  OUTCOME_UNKNOWN: {
    title: 'A creating request was sent long ago and its answer never came.',
    fix: 'Look on the platform whether the work exists, then run again.',
  },
  TIMED_OUT: {
    title: 'A step did not end in time.',
    fix: 'Look whether workers run (`renderline doctor`), then run again.',
  },
  CLAIM_CONTENTION: {
    title: 'Another run wanted the asset at the same moment.',
    fix: 'Run again when it has ended.',
  },
  DAMAGED_OBJECT: {
    title: 'A record beside the outputs cannot be read.',
    fix: 'Delete the object that the message names; the asset is done anew.',
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
  SOURCE_GONE: {
    title: 'What a rerun was to take is not there any more, or the pipeline does not take it.',
    fix: 'Put it back under its name, then rerun; what is called otherwise now is new, and the next run takes it.',
  },
};
