// The hand-written workflow as a contender of the benchmark.
import { join } from 'node:path';
import { startChild } from '../child.ts';
import type { ContenderEnvironment, ContenderRunner } from '../contender.ts';
import { waitUntilClosed } from '../histories.ts';
import { templateName } from '../sandbox.ts';
import { taskQueue } from './task-queue.ts';
import type { AssetInput } from './workflows.ts';

/** Number of workflows that are started concurrently, so that the benchmark does not mainly measure starting them. */
const maxConcurrentStarts = 32;

export const handWritten: ContenderRunner = {
  description: 'one workflow per asset, one activity per request, polls every 5 s',
  workflowTypes: ['renderAsset'],
  async startWorker({ temporalAddress, sandbox }) {
    const worker = startChild('bench/hand-written/worker.js', [], {
      TEMPORAL_ADDRESS: temporalAddress,
      BASE_URL: sandbox.baseUrl,
      API_KEY: sandbox.apiKey,
    });
    await worker.waitForOutput(/worker is ready/);
    return worker;
  },
  async start(contenderEnvironment, { workload, out }) {
    const templateId = await findTemplate(contenderEnvironment);
    const names = workload.names.values();
    const startNext = async () => {
      for (const name of names) {
        const file = join(workload.folder, `${name}.glb`);
        const input: AssetInput = { file, name, templateId, output: join(out, `${name}.png`) };
        await contenderEnvironment.temporal.workflow.start('renderAsset', {
          taskQueue,
          workflowId: name,
          args: [input],
        });
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentStarts }, startNext));
  },
  waitForEnd: ({ temporal }, { workload }, sinceMs) =>
    waitUntilClosed(temporal, ['renderAsset'], workload.names.length, sinceMs),
};

async function findTemplate({ sandbox }: ContenderEnvironment): Promise<string> {
  const response = await fetch(`${sandbox.baseUrl}/templates`, {
    headers: { 'X-API-Key': sandbox.apiKey },
  });
  const { templates } = (await response.json()) as {
    templates: { templateId: string; name: string }[];
  };
  const template = templates.find(({ name }) => name === templateName);
  if (!template) throw new Error(`the sandbox has no template "${templateName}"`);
  return template.templateId;
}
