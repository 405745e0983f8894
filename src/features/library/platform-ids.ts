// Platform ids of the library: the item that an asset's file became, one of the three.
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { IdSlice } from '../../store/records/id-rules.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    propId?: string;
    decalId?: string;
    materialId?: string;
    /** The confirmation said that the item is ready, so there is no need to wait. */
    itemReady?: boolean;
  }
}

export const libraryIdSlice: IdSlice = {
  uploadIds({ propId, decalId, materialId, itemReady }) {
    const isItem = [propId, decalId, materialId].some((id) => id !== undefined);
    return isItem ? withoutUndefined({ propId, decalId, materialId, itemReady }) : {};
  },
};
