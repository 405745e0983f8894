// Platform ids of properties: hashes of the values that were written for an asset.
import type { FeatureIdRules } from '../../store/records/id-rules.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    /** Hashes by node id. Each covers the values that the node wrote and the platform ids that received them. */
    properties?: Record<string, string>;
  }
}

export const propertiesIdRules: FeatureIdRules = {
  /** Merges the hashes of parallel nodes, each of which has only its own hash. */
  merge({ properties: previousProperties }, { properties }) {
    return properties === undefined ? {} : { properties: { ...previousProperties, ...properties } };
  },
};
