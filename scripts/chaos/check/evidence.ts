// The evidence of a round: the platform's tables, folders, raw records and reports. No engine code reads or checks it.

/** The last state of a row in the platform's journal. `deleted` is true if the row has been deleted since. */
export type Row = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly deleted?: true;
};

export interface PlatformState {
  /** Number of times that the platform was started. */
  starts: number;
  models: Row[];
  projects: Row[];
  renderJobs: Row[];
  outputs: Row[];
  colorwayJobs: Row[];
  /** Pictures taken for production files. Each costs as much as a render. */
  captures: Row[];
  exports: Row[];
  productionFiles: Row[];
  templates: Row[];
  /** Library items: props, decals and materials. */
  items: Row[];
  /** SHA-256 of each picture and production file on the platform, by output id or production file id. */
  contents: ReadonlyMap<string, string>;
}

/** A JSON file in the records folder. */
export interface RawRecord {
  key: string;
  platformIds: Readonly<Record<string, unknown>>;
  files: readonly { path: string; sha256: string }[];
}

export interface RawClaim {
  file: string;
  key: string;
  run: string;
  state: string;
}

/** Output of `show RUN --json`. */
export interface ShownRun {
  run: string;
  pipeline: string;
  outcome: string;
  assets: { total: number; complete: number; failed: number; skipped: number; unchanged: number };
  files: readonly { key: string; path: string; sha256: string }[];
  failures: readonly { key: string; code: string; message: string }[];
  warnings: readonly { key: string; message: string }[];
  results: readonly { key: string; outcome: string }[];
  requests: { total: number };
}

/** `limits` of a pipeline file. */
export interface PipelineLimits {
  models: number;
  projects: number;
  /** Limit for the total of render jobs and captures. */
  renders: number;
  requests: number;
}

/** Records of a pipeline of library items. A pipeline of models has more evidence. */
export interface LibraryEvidence {
  name: string;
  /** Every content hash of each source, by key. The last one is the final content. */
  sources: ReadonlyMap<string, readonly string[]>;
  /** Temporary files anywhere within the destination. */
  temporary: readonly string[];
  records: readonly RawRecord[];
  claims: readonly RawClaim[];
}

export interface PipelineEvidence extends LibraryEvidence {
  /** Number of pipelines, including this one, that upload the same files. */
  sharingPipelines: number;
  /** Number of outputs that each asset must have at the end of the round. */
  outputs: number;
  /** The `limits` of the pipeline file. Absent if it has none. */
  limits?: PipelineLimits;
  templateId: string;
  /** SHA-256, by path, of each file within the destination that is not a record. */
  delivered: ReadonlyMap<string, string>;
}

export interface Evidence {
  /** Descriptions of everything that is incomplete. */
  unfinished: readonly string[];
  pipelines: readonly PipelineEvidence[];
  libraries: readonly LibraryEvidence[];
  platformState: PlatformState;
  runs: readonly ShownRun[];
  /** Runs that are still running or paused at the end of the round. */
  openRuns: readonly string[];
  replayed: readonly { workflow: string; events: number; problem: string | null }[];
  /** Files that contain the API key or the signature of a link. */
  leaks: readonly string[];
  network: { requests: number; refusals: number; keysSentToStorage: number };
}

export interface Violation {
  /** Number of the invariant, `I1` to `I9`. */
  invariant: string;
  what: string;
}
