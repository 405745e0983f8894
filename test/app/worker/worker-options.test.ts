// Options that a worker passes to Temporal's SDK, although the types of the SDK do not declare them.
import { DefaultLogger } from '@temporalio/worker';
import { compileWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import { expect, it } from 'vitest';
import { workflowSourceOf } from '../../../src/app/worker/worker.ts';

it('workflow code may run for a minute, since the machine may be busy', () => {
  const metricMeter = { withTags: () => metricMeter } as never;
  const options = { taskQueue: 'tests', ...workflowSourceOf(undefined) };
  const compiled = compileWorkerOptions(options, new DefaultLogger(), metricMeter);
  expect(compiled.isolateExecutionTimeoutMs).toBe(60_000);
});
