// The plain script as a contender of the benchmark.
import { startChild } from '../child.ts';
import type { ContenderRunner } from '../contender.ts';
import { templateName } from '../sandbox.ts';
import { measurementTimeoutMs } from '../timeout.ts';

export const script: ContenderRunner = {
  description: 'one process, 1,000 assets at once, polls every 5 s; nothing is kept when it ends',
  workflowTypes: [],
  async startWorker({ sandbox }) {
    const process = startChild('bench/script/main.js', [], {
      BASE_URL: sandbox.baseUrl,
      API_KEY: sandbox.apiKey,
    });
    await process.waitForOutput(/script is ready/);
    return process;
  },
  async start({ workers: [process] }, { workload: { folder }, out }) {
    process?.writeLine(JSON.stringify({ folder, out, template: templateName }));
  },
  async waitForEnd({ workers: [process] }, { out }) {
    const match = await process?.waitForOutput(
      new RegExp(`done ${out} (\\d+) (\\d+)`),
      measurementTimeoutMs,
    );
    return { startedAtMs: Number(match?.[1]), closedAtMs: Number(match?.[2]) };
  },
};
