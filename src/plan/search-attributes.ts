// Names of the search attributes by which runs are found in the Temporal UI.
export const searchAttributeNames = {
  pipeline: 'RenderlinePipeline',
  outcome: 'RenderlineOutcome',
  failedKeys: 'RenderlineFailedKeys',
  failedModels: 'RenderlineFailedModels',
  colorways: 'RenderlineColorways',
} as const;

/** Outcome of a paused run. A working run has no outcome. */
export const pausedOutcome = 'paused';
