// The library item that the file of an asset became; only one of the three.
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { RefSlice } from '../../store/records/ref-book.ts';

declare module '../../plan/refs.ts' {
  interface Refs {
    propId?: string;
    decalId?: string;
    materialId?: string;
    /** The confirm of its library item said that nothing is left to wait for. */
    itemReady?: boolean;
  }
}

export const libraryRefs: RefSlice = {
  ofFile({ propId, decalId, materialId, itemReady }) {
    const isItem = [propId, decalId, materialId].some((id) => id !== undefined);
    return isItem ? withoutUndefined({ propId, decalId, materialId, itemReady }) : {};
  },
};
