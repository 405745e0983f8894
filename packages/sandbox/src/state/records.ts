// The stored facts of the sandbox. Statuses are not stored, but computed from facts and time.
import type { ModelStatus } from 'renderline/api/operations/models';
import type { RenderSettings } from 'renderline/api/operations/renders';
import type { LibraryFile } from './library-records.ts';

/** All times are epoch milliseconds. */
export interface WorkspaceRecord {
  readonly id: string;
  readonly apiKey: string;
  readonly seed: number;
  /** Secret for the signatures of upload and download links. */
  readonly linkSecret: string;
  /** Number of ids ever assigned, so that none is reused. */
  readonly sequence: number;
}

export interface VariantRecord {
  readonly id: string;
  readonly name: string;
}

/** An uploaded model and the result of its inspection. */
export interface InspectedModelFile extends LibraryFile {
  readonly variants: readonly VariantRecord[];
  /** Names of the materials in file order, null if unnamed. They are the slots of the model. */
  readonly materials: readonly (string | null)[];
}

export interface ModelRecord {
  readonly id: string;
  readonly name: string;
  readonly fileType: string;
  readonly category: string;
  readonly fileName?: string;
  readonly declaredBytes?: number;
  readonly createdAt: number;
  readonly uploadKey: string;
  /** Duration from the upload to the end of processing. */
  readonly processMs: number;
  /** If set by a fault rule, processing fails with this message. */
  readonly plannedFailure?: string;
  readonly file?: InspectedModelFile;
  readonly confirmedAt?: number;
  readonly importedFrom?: { readonly url: string; readonly error?: string };
  /** Set by `POST /_sandbox/models/{id}/status`. Overrides the computed status. */
  readonly forcedStatus?: ModelStatus;
  /** Set by `POST /_sandbox/models/{id}/tags`, because no API operation tags a model. */
  readonly tagIds?: readonly string[];
  /** Ids of the model's colorway jobs, oldest first. Each complete job is a variant of the model. */
  readonly colorwayJobIds?: readonly string[];
}

/** A tag of models, used by colorway scopes and convert-tag. Created only through `/_sandbox`. */
export interface TagRecord {
  readonly id: string;
  readonly name: string;
}

/** A logo in a slot of one variant. */
export interface SlotLogoRecord {
  /** Ids of model, variant and slot, joined with slashes. */
  readonly id: string;
  readonly modelId: string;
  readonly variantId: string;
  readonly slotId: string;
  readonly decalId: string;
  readonly decorationMethod?: string;
  /** When the logo was last set. */
  readonly changedAt: number;
}

export interface ProjectRecord {
  readonly id: string;
  readonly name: string;
  readonly modelIds: readonly string[];
  readonly templateId?: string;
  readonly batchProjectId?: string;
  readonly createdAt: number;
  /** Variants that were created after the project and added to it. */
  readonly addedVariantIds?: readonly string[];
}

/** A picture or video of a render job. */
export interface OutputRecord {
  readonly id: string;
  readonly jobId: string;
  readonly name: string;
  readonly modelId: string;
  /** The variant that the output shows. Absent for the unchanged model. */
  readonly variantId?: string;
  /** The camera of a picture. */
  readonly bookmarkId?: string;
  /** The camera moves of a video, in order. */
  readonly shotIds?: readonly string[];
  readonly framesPerSecond?: number;
  /** Length of a video in seconds. */
  readonly seconds?: number;
  readonly width: number;
  readonly height: number;
  readonly format: 'PNG' | 'JPEG' | 'TIFF' | 'MP4';
  /** Set once the picture is drawn: file name in the picture store, and size. */
  readonly file?: string;
  readonly bytes?: number;
  /** Preview picture of a video. */
  readonly poster?: string;
  readonly favorited?: boolean;
  readonly isPreview?: boolean;
}

export interface RenderJobRecord {
  readonly id: string;
  readonly batchId: string;
  readonly projectId: string;
  readonly settings: RenderSettings;
  readonly dispatchAt: number;
  readonly endAt: number;
  readonly outputIds: readonly string[];
  readonly drawnAt?: number;
  readonly cancelledAt?: number;
  /** If set, the job fails with this message. */
  readonly failure?: string;
}

export interface JobRecord {
  readonly id: string;
  readonly modelIds: readonly string[];
  readonly fileNames: Readonly<Record<string, string>>;
  readonly errors?: readonly string[];
  readonly createProjects: boolean;
  readonly templateId?: string;
  readonly renderSettings?: RenderSettings;
  readonly webhookUrl?: string;
  readonly status:
    | 'AWAITING_UPLOADS'
    | 'PROCESSING'
    | 'CREATING_PROJECTS'
    | 'RENDERING'
    | 'COMPLETE'
    | 'FAILED';
  readonly batchProject?: { readonly id: string; readonly title: string };
  /** Project ids by model id. */
  readonly projects?: Readonly<Record<string, string>>;
  /** Render job ids by project id. */
  readonly renderJobs?: Readonly<Record<string, string>>;
  readonly error?: string;
}

export interface TemplateRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly public: boolean;
  /** Index of the look that draws this template. */
  readonly look: number;
  readonly bookmarks: readonly BookmarkRecord[];
  readonly shots: readonly ShotRecord[];
}

/** A camera of a template. Missing angles are those of the look. */
export interface BookmarkRecord {
  readonly id: string;
  readonly name: string;
  readonly yawDegrees?: number;
  readonly pitchDegrees?: number;
}

/** A camera move of a template. Missing fields are those of the look's first camera. */
export interface ShotRecord {
  readonly id: string;
  readonly name: string;
  readonly seconds: number;
  readonly yawDegrees?: number;
  readonly pitchDegrees?: number;
  /** Degrees that the camera turns around the model. */
  readonly turnDegrees?: number;
}

/** The first response under an idempotency key. */
export interface KeyRecord {
  /** The idempotency key itself. */
  readonly id: string;
  readonly endpoint: string;
  readonly bodySha256: string;
  readonly status: number;
  readonly body: string;
  readonly createdAt: number;
}
