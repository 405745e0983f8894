// Where the worker of the usual workflow listens.
export const usualTaskQueue = 'usual';
