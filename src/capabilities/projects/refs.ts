// The project of an asset.
import type { RefSlice } from '../../store/records/ref-book.ts';

declare module '../../plan/refs.ts' {
  interface Refs {
    projectId?: string;
    /** The project was made by this run with exactly one render job, so the render list can be trusted. */
    ownProject?: boolean;
  }
}

export const projectRefs: RefSlice = {
  made: ['projectId'],
  ofRender: ['ownProject'],
  ends: { stage: 'composition', isDone: ({ projectId }) => projectId !== undefined },
};
