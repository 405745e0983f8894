// Platform ids of an asset's render job and outputs.
import type { RefSlice } from '../../store/records/ref-book.ts';

/** A still or video of a render job. Never contains a signed URL. */
export interface OutputRef {
  id: string;
  name: string;
  fileType: string;
  /** Direct unsigned URL; absent if the platform only gave a signed one. */
  url?: string;
  isVideo: boolean;
  isPreview: boolean;
}

declare module '../../plan/refs.ts' {
  interface Refs {
    jobId?: string;
    /** Hash of the settings that decide how many outputs the job has; absent if they cannot be derived from the settings. */
    alike?: string;
    /** Empty if unknown: no operation tells the batch of a retried job whose response was lost. */
    batchId?: string;
    /** Platform clock when the job was created, ISO 8601. */
    submittedAt?: string;
    /** True if the render job failed and waits for its retry. */
    failedJob?: boolean;
    /** Requested bookmark and shot, if exactly one was requested. */
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
  /** Clears the batch id, so that a finished render is not waited for again. */
  ended(refs) {
    const isDrawn = refs.jobId !== undefined && refs.outputs !== undefined;
    return isDrawn ? { ...refs, batchId: '' } : refs;
  },
  /** A job with outputs is finished and paid for; every other job was cancelled with its run. */
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
