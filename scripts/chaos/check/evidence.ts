// What a round leaves behind, as it was found: the platform's books, folders, raw records, reports. Nothing of the
// engine reads or judges any of it.

/** One row of a table of the platform's journal, as it was last; those that were deleted since say so. */
export type Row = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly deleted?: true;
};

export interface Books {
  models: Row[];
  projects: Row[];
  renderJobs: Row[];
  outputs: Row[];
  colorwayJobs: Row[];
  /** Pictures taken for production files, which cost as much as renders. */
  captures: Row[];
  exports: Row[];
  productionFiles: Row[];
  templates: Row[];
  /** Of the library: props, decals, materials. */
  items: Row[];
  /** SHA-256 of each picture and production file that the platform has, by output or production file. */
  contents: ReadonlyMap<string, string>;
}

/** A JSON file of the records folder. */
export interface RawRecord {
  key: string;
  refs: Readonly<Record<string, unknown>>;
  files: readonly { path: string; sha256: string }[];
}

export interface RawClaim {
  file: string;
  key: string;
  run: string;
  state: string;
}

/** `show RUN --json` */
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
export interface Budget {
  models: number;
  projects: number;
  /** Render jobs and captures. */
  renders: number;
  requests: number;
}

/** What a pipeline of library items has kept; one of pictures has more. */
export interface LibraryEvidence {
  name: string;
  /** Every content of each source, by key; the last is what it has in the end. */
  sources: ReadonlyMap<string, readonly string[]>;
  /** Files of no final name anywhere below the destination. */
  temporary: readonly string[];
  records: readonly RawRecord[];
  claims: readonly RawClaim[];
}

export interface PipelineEvidence extends LibraryEvidence {
  /** Pipelines that upload the same files, this one among them. */
  sharers: number;
  /** Outputs that each asset must have in the end. */
  outputs: number;
  /** What its file allows; absent where that says nothing. */
  limits?: Budget;
  /** Id of the template that was asked for. */
  templateId: string;
  /** Files below the destination that are no records: path and SHA-256. */
  delivered: ReadonlyMap<string, string>;
}

export interface Evidence {
  /** What did not end as it should. */
  unfinished: readonly string[];
  pipelines: readonly PipelineEvidence[];
  libraries: readonly LibraryEvidence[];
  books: Books;
  runs: readonly ShownRun[];
  /** Runs that go on, or stand still, after the end. */
  open: readonly string[];
  replayed: readonly { workflow: string; events: number; problem: string | null }[];
  /** Files with the API key or the signature of a link in them. */
  leaks: readonly string[];
  network: { requests: number; refusals: number; keysOutside: number };
}

export interface Violation {
  /** Number of the invariant, `I1` to `I9`. */
  invariant: string;
  what: string;
}
