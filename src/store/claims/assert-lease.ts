/**
 * Call right before a write. Throws if another attempt may have started to write instead of this one (decision 022).
 */
export type AssertLease = () => Promise<void>;
