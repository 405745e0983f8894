import type { FeatureIdRules } from '../../store/records/id-rules.ts';

/** A still or video of a render job. Never contains a signed URL. */
export interface OutputRef {
  id: string;
  name: string;
  fileType: string;
  /** Direct unsigned URL. Absent if the platform returned only a signed one. */
  url?: string;
  isVideo: boolean;
  isPreview: boolean;
}

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    jobId?: string;
    /** Jobs with the same key, submitted at about the same time, have the same number of outputs. Absent if unknown. */
    outputCountKey?: string;
    /** Id of the batch. Empty for a finished render or a retried job, because no operation reports the new batch. */
    batchId?: string;
    /** Platform clock when the job was created, ISO 8601. */
    submittedAt?: string;
    /** True if the render job failed and waits for its retry. */
    failedJob?: boolean;
    /** Requested bookmark, if exactly one was requested. The same applies to `shot`. */
    bookmark?: string;
    shot?: string;
    outputs?: OutputRef[];
  }
}

export const renderIdRules: FeatureIdRules = {
  transient: ['failedJob'],
  createdFields: ['jobId'],
  ofRender: [
    'jobId',
    'outputCountKey',
    'batchId',
    'submittedAt',
    'failedJob',
    'retries',
    'bookmark',
    'shot',
    'outputs',
  ],
  completion: {
    stage: 'render',
    isDone: ({ jobId, outputs }) => jobId !== undefined && outputs !== undefined,
  },
  /** Clears the batch id, so that a finished render is not waited for again. */
  afterCompletion(platformIds) {
    const isDrawn = platformIds.jobId !== undefined && platformIds.outputs !== undefined;
    return isDrawn ? { ...platformIds, batchId: '' } : platformIds;
  },
  /** Removes the ids of a job without outputs, which was cancelled with its run. A job with outputs is paid for. */
  afterCancel(platformIds) {
    if (platformIds.outputs !== undefined) return platformIds;
    const {
      jobId: _jobId,
      batchId: _batchId,
      submittedAt: _submittedAt,
      retries: _retries,
      failedJob: _failedJob,
      ...remainingIds
    } = platformIds;
    return remainingIds;
  },
  formatWorkInProgress: ({ jobId }) => (jobId === undefined ? null : `render job ${jobId}`),
};
