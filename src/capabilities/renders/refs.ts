// The render job of an asset, and its outputs.
import type { RefSlice } from '../../store/records/ref-book.ts';

/** A still or video that a render job made. No signed address ever stands here. */
export interface OutputRef {
  id: string;
  name: string;
  fileType: string;
  /** Direct unsigned address; absent when the platform only gave a signed one. */
  url?: string;
  isVideo: boolean;
  isPreview: boolean;
}

declare module '../../plan/refs.ts' {
  interface Refs {
    jobId?: string;
    /** Mark of the settings that decide how many outputs the job has; absent where only the job itself can tell. */
    alike?: string;
    /** Empty where the job was started again without an answer to us: no operation tells its batch then. */
    batchId?: string;
    /** Platform clock when the job was created, ISO 8601. */
    submittedAt?: string;
    /** The render job failed and waits for its retry. */
    failedJob?: boolean;
    /** Bookmark and shot that the render asked for, where it asked for exactly one. */
    bookmark?: string;
    shot?: string;
    outputs?: OutputRef[];
  }
}

export const renderRefs: RefSlice = {
  passing: ['failedJob'],
  made: ['jobId'],
  ofRender: [
    'jobId',
    'alike',
    'batchId',
    'submittedAt',
    'failedJob',
    'retries',
    'bookmark',
    'shot',
    'outputs',
  ],
  ends: {
    stage: 'render',
    isDone: ({ jobId, outputs }) => jobId !== undefined && outputs !== undefined,
  },
  /** A render that has ended is not waited for again. */
  ended(refs) {
    const isDrawn = refs.jobId !== undefined && refs.outputs !== undefined;
    return isDrawn ? { ...refs, batchId: '' } : refs;
  },
  /** A job with outputs is drawn and paid for; every other job was cancelled with its run. */
  afterCancel(refs) {
    if (refs.outputs !== undefined) return refs;
    const {
      jobId: _jobId,
      batchId: _batchId,
      submittedAt: _submittedAt,
      retries: _retries,
      failedJob: _failedJob,
      ...kept
    } = refs;
    return kept;
  },
  underWay: ({ jobId }) => (jobId === undefined ? null : `render job ${jobId}`),
};
