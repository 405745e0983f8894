// Names of the search attributes by which runs are found in the Temporal UI.
export const searchAttributeNames = {
  pipeline: 'RenderlinePipeline',
  outcome: 'RenderlineOutcome',
  failedKeys: 'RenderlineFailedKeys',
  failedModels: 'RenderlineFailedModels',
  colorways: 'RenderlineColorways',
} as const;

/** Value of the outcome while a run is paused; it has none while it works. */
export const pausedOutcome = 'paused';
