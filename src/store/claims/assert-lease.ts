/** Called right before a write. Throws if another attempt may have started to write instead (decision 022). */
export type AssertLease = () => Promise<void>;
