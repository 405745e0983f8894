// Platform ids of properties: hashes of the values that were written for an asset.
import type { FeatureIdRules } from '../../store/records/id-rules.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    /** By node id: hash of the values that the node wrote and of the platform ids that received the values. */
    properties?: Record<string, string>;
  }
}

export const propertiesIdRules: FeatureIdRules = {
  /** Merges the hashes of parallel nodes, each of which has only its own. */
  merge({ properties: previousProperties }, { properties }) {
    return properties === undefined ? {} : { properties: { ...previousProperties, ...properties } };
  },
};
