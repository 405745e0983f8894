// Task queue of the hand-written workflow.
export const taskQueue = 'hand-written';
