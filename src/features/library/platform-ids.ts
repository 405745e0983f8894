// Platform ids of the library: an asset becomes a prop, a decal or a material.
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { FeatureIdRules } from '../../store/records/id-rules.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    propId?: string;
    decalId?: string;
    materialId?: string;
    /** True if the item was ready as soon as its upload was confirmed, so no step waits for it. */
    itemReady?: boolean;
  }
}

export const libraryIdRules: FeatureIdRules = {
  uploadIds({ propId, decalId, materialId, itemReady }) {
    const hasItemId = [propId, decalId, materialId].some((id) => id !== undefined);
    return hasItemId ? omitUndefined({ propId, decalId, materialId, itemReady }) : {};
  },
};
