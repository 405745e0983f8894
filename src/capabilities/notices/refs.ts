// What became of the notices about an asset.
import type { RefSlice } from '../../store/records/ref-book.ts';

export interface Delivery {
  /** `webhook-id`: the same for all assets of the notice and for every attempt. */
  id: string;
  /** Of the last answer; null where there was none. */
  status: number | null;
  attempts: number;
  /** Of the last attempt, ISO 8601. */
  at: string;
  /** Hash of what was told of; the same is not told twice. */
  about: string;
}

declare module '../../plan/refs.ts' {
  interface Refs {
    /** By the node that told. */
    notices?: Record<string, Delivery>;
  }
}

export const noticeRefs: RefSlice = {
  passing: ['notices'],
  /** Nodes side by side tell of one asset, each knowing only of its own notice. */
  joined({ notices: before }, { notices }) {
    return notices === undefined ? {} : { notices: { ...before, ...notices } };
  },
};
