// Task queue of the hand-written workflow.
export const usualTaskQueue = 'usual';
