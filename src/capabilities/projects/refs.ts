// Platform ids of an asset's project.
import type { RefSlice } from '../../store/records/ref-book.ts';

declare module '../../plan/refs.ts' {
  interface Refs {
    projectId?: string;
    /** True if this run created the project and started exactly one render job, so the render list identifies its outputs. */
    ownProject?: boolean;
  }
}

export const projectRefs: RefSlice = {
  made: ['projectId'],
  ofRender: ['ownProject'],
  ends: { stage: 'composition', isDone: ({ projectId }) => projectId !== undefined },
};
