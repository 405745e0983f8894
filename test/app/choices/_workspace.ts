// A sandbox that contains materials and a property in addition to its own templates.
import { onTestFinished } from 'vitest';
import { startSandbox } from '../../../packages/sandbox/src/server/server.ts';
import { triangleGlb } from '../../../packages/sandbox/test/_test-sandbox.ts';
import { createClient } from '../../../src/api/client.ts';
import { requestEvents } from '../../../src/api/events.ts';
import { folderWith } from '../../cli/_folder.ts';

const materials = ['Oak', 'Walnut', 'Twin', 'Twin'];
const hex = '#aa7744';

/** Stops when the test ends, or earlier when `stop` is called. */
export async function startWorkspace() {
  const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0, speed: 1000 });
  let isRunning = true;
  const stop = async () => {
    if (isRunning) await sandbox.stop();
    isRunning = false;
  };
  onTestFinished(stop);
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  for (const name of materials) {
    await client.createPantoneMaterial({ body: { name, pantoneCode: '186 C', hex } });
  }
  await client.createProperty({
    body: { name: 'Season', type: 'SELECT', options: ['Spring', 'Autumn'] },
  });
  await client.close();
  const env = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
  return { env, stop };
}

/** The requests from now on, by operation, until the test ends. */
export function countRequests(): Record<string, number> {
  const counts: Record<string, number> = {};
  const ignore = requestEvents.subscribe(({ operation }) => {
    counts[operation] = (counts[operation] ?? 0) + 1;
  });
  onTestFinished(ignore);
  return counts;
}

/** A pipeline of one model. The declaration is in line 3, and `x` is the template of the model. */
export const pipelineWith = (declaration: string, more = '') => `name: trial
parameters:
  x: ${declaration}
connectors: { in: { type: local, path: in } }
records: in
nodes:
  - { id: take, type: connector_poll, config: { connector: in, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: look, type: template_match, parentIds: [ready], config: { default: "\${{ params.x }}" } }
${more}`;

export function folderOf(pipeline: string): string {
  return folderWith({ 'a.yaml': pipeline, 'in/chair.glb': triangleGlb() });
}
