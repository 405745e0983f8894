// Platform ids of properties: what was written for an asset.
import type { IdSlice } from '../../store/records/id-rules.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    /** By the id of the node: hash of the values that it wrote and of the platform ids that have them. */
    properties?: Record<string, string>;
  }
}

export const propertiesIdSlice: IdSlice = {
  /** Merges what parallel nodes wrote, each of which knows only its own. */
  merged({ properties: before }, { properties }) {
    return properties === undefined ? {} : { properties: { ...before, ...properties } };
  },
};
