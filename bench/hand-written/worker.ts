// Worker process of the hand-written workflow.
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from './activities.ts';
import { taskQueue } from './task-queue.ts';

const {
  TEMPORAL_ADDRESS: address = '',
  BASE_URL: baseUrl = '',
  API_KEY: apiKey = '',
} = process.env;
// At the default log level, log lines about retries after 429 would dominate the measurement.
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  activities: createActivities(baseUrl, apiKey),
});
const run = worker.run();
process.stdout.write('worker is ready\n');
await run;
await connection.close();
