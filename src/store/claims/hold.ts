/** To be called right before a write: throws where somebody else may have begun to write in our place (decision 022). */
export type Hold = () => Promise<void>;
