// The facts the sandbox stores. Statuses are not among them: they follow from these and the time.
import type { ModelStatus } from 'renderline/api/operations/models';
import type { RenderSettings } from 'renderline/api/operations/renders';

/** Times are epoch milliseconds throughout. */
export interface WorkspaceRecord {
  readonly id: string;
  readonly apiKey: string;
  readonly seed: number;
  /** Keys the signatures of upload and download links. */
  readonly linkSecret: string;
  /** Counts everything ever created, so that ids are never used twice. */
  readonly sequence: number;
}

export interface VariantRecord {
  readonly id: string;
  readonly name: string;
}

/** A file that landed in storage, and what a look at it found. */
export interface LandedFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly landedAt: number;
  /** Over the size limit: counted, not kept. */
  readonly tooLarge?: boolean;
  /** Why processing will fail. */
  readonly problem?: string;
  readonly variants: readonly VariantRecord[];
  /** Names of its materials in file order, null where one has none: the slots of the model. */
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
  /** From landing to the end of processing. */
  readonly processMs: number;
  /** Processing fails with this message, whatever the file: set by a fault rule. */
  readonly plannedFailure?: string;
  readonly file?: LandedFile;
  readonly confirmedAt?: number;
  readonly importedFrom?: { readonly url: string; readonly error?: string };
  /** Set from outside (`POST /_sandbox/models/{id}/status`); wins over everything. */
  readonly forcedStatus?: ModelStatus;
  /** Set from outside too: no operation puts a tag on a model. */
  readonly tagIds?: readonly string[];
  /** Oldest first; those that are complete are variants of the model. */
  readonly colorwayJobIds?: readonly string[];
}

/** Named by a colorway's scope and by convert-tag. Made only with `/_sandbox`. */
export interface TagRecord {
  readonly id: string;
  readonly name: string;
}

/** A logo in a slot of one variant. */
export interface SlotLogoRecord {
  /** Model, variant and slot id with slashes between. */
  readonly id: string;
  readonly modelId: string;
  readonly variantId: string;
  readonly slotId: string;
  readonly decalId: string;
  readonly decorationMethod?: string;
  /** When the logo was last put there or replaced. */
  readonly changedAt: number;
}

export interface ProjectRecord {
  readonly id: string;
  readonly name: string;
  readonly modelIds: readonly string[];
  readonly templateId?: string;
  readonly batchProjectId?: string;
  readonly createdAt: number;
  /** Variants made after the project, which were added to it. */
  readonly addedVariantIds?: readonly string[];
}

/** One picture or video that a render job makes. */
export interface OutputRecord {
  readonly id: string;
  readonly jobId: string;
  readonly name: string;
  readonly modelId: string;
  /** The variant it shows; absent for the model as it is. */
  readonly variantId?: string;
  /** The camera of a picture. */
  readonly bookmarkId?: string;
  /** The camera moves of a video, in order. */
  readonly shotIds?: readonly string[];
  readonly framesPerSecond?: number;
  /** Length of a video. */
  readonly seconds?: number;
  readonly width: number;
  readonly height: number;
  readonly format: 'PNG' | 'JPEG' | 'TIFF' | 'MP4';
  /** Set once drawn: name of the file in the picture store, and its size. */
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
  /** The job ends FAILED with this message. */
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
  /** Model id to project id. */
  readonly projects?: Readonly<Record<string, string>>;
  /** Project id to render job id. */
  readonly renderJobs?: Readonly<Record<string, string>>;
  readonly error?: string;
}

export interface TemplateRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly public: boolean;
  /** Index of the drawn look that this template stands for. */
  readonly look: number;
  readonly bookmarks: readonly BookmarkRecord[];
  readonly shots: readonly ShotRecord[];
}

/** A camera of a template; angles that are not given are the look's own. */
export interface BookmarkRecord {
  readonly id: string;
  readonly name: string;
  readonly yawDegrees?: number;
  readonly pitchDegrees?: number;
}

/** A camera move of a template; fields not given are those of the look's first camera. */
export interface ShotRecord {
  readonly id: string;
  readonly name: string;
  readonly seconds: number;
  readonly yawDegrees?: number;
  readonly pitchDegrees?: number;
  /** Degrees that the camera turns around the model. */
  readonly turnDegrees?: number;
}

/** The first answer given under an Idempotency-Key. */
export interface KeyRecord {
  /** The key itself. */
  readonly id: string;
  readonly endpoint: string;
  readonly bodySha256: string;
  readonly status: number;
  readonly body: string;
  readonly createdAt: number;
}
