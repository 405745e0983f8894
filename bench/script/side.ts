// The plain script as a side of the benchmark.
import { startChild } from '../child.ts';
import type { Side } from '../contender.ts';
import { patienceMs } from '../patience.ts';
import { templateName } from '../sandbox.ts';

export const script: Side = {
  route: 'one process, 1,000 assets at once, polls every 5 s; nothing is kept when it ends',
  workflowTypes: [],
  async startWorker({ sandbox }) {
    const process = startChild('bench/script/main.js', [], {
      BASE_URL: sandbox.baseUrl,
      API_KEY: sandbox.apiKey,
    });
    await process.says(/script is ready/);
    return process;
  },
  async start({ workers: [process] }, { workload: { folder }, out }) {
    process?.tell(JSON.stringify({ folder, out, template: templateName }));
  },
  async ended({ workers: [process] }, { out }) {
    const said = await process?.says(new RegExp(`done ${out} (\\d+) (\\d+)`), patienceMs);
    return { startedAtMs: Number(said?.[1]), closedAtMs: Number(said?.[2]) };
  },
};
