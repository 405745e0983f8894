/**
 * CommonJS for the start of a helper program: a thread ends the program when the process that started it has ended. The
 * program itself would not notice that while it is busy, and a program that is busy forever would never end.
 */
export const parentWatchScript = `
new (require('node:worker_threads').Worker)(
  'const { workerData } = require("node:worker_threads");' +
    'setInterval(() => process.ppid === workerData || process.kill(process.pid, "SIGKILL"), 1_000)',
  { eval: true, workerData: process.ppid },
).unref();
`;
