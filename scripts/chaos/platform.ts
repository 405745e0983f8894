// The platform of a round: a sandbox process with its own folder and port, which can be killed and restarted.
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SupervisedProcess } from '../../src/temporal/server/supervised-process.ts';
import type { RoundPlan } from './plan.ts';
import { reservePorts } from './ports.ts';
import { startProgram, waitForOutput } from './program.ts';

export interface Platform {
  readonly origin: string;
  readonly apiKey: string;
  /** Folder with the state and the files. `state.jsonl` is the journal. */
  readonly data: string;
  /** Copies of the journal from each stop, because a start compacts it to the current state. */
  readonly journals: readonly string[];
  /** Sends an API request as another client of the workspace. */
  api(path: string, body: unknown): Promise<unknown>;
  /** Sends POST /_sandbox/PATH. */
  set(path: string, body: unknown): Promise<unknown>;
  /** Resolves when the process has exited. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts the process again, with the same state and port. */
  start(): Promise<void>;
}

interface Options {
  folder: string;
  apiKey: string;
  plan: RoundPlan;
  signal: AbortSignal;
}

/** Slows down some work, so that faults happen during it. */
const durations = [
  { model: '**', probability: 0.3, do: { durationMs: 1_500 } },
  { render: '**', probability: 0.5, do: { durationMs: 1_500 } },
];

/** Maximum number of `forgets` faults during the life of a platform process. */
export const maxForgotten = 3;

/** The work is done, but the response is an error and the idempotency key is not stored. */
const lostResponseRule = {
  match: 'POST /{jobs,models,projects,renders}',
  probability: 0.3,
  times: maxForgotten,
  do: { commitThenStatus: 500 },
};

/** Prepares a platform. `start` then starts it. */
export async function createPlatform(options: Options): Promise<Platform> {
  const { folder, apiKey, plan, signal } = options;
  const { seed, rateLimit } = plan;
  const [port = 0] = await reservePorts(1);
  const origin = `http://127.0.0.1:${port}`;
  const data = join(folder, 'platform');
  const faults = join(folder, 'durations.json');
  await mkdir(data, { recursive: true });
  await writeFile(
    faults,
    JSON.stringify(plan.faults.includes('forgets') ? [...durations, lostResponseRule] : durations),
  );
  const journals: string[] = [];
  const location = ['--port', String(port), '--data', data, '--api-key', apiKey, '--json'];
  // Pictures of the pipelines are so small that they are drawn at full size, so each one shows its own model.
  const pace = ['--speed', '40', '--seed', String(seed), '--faults', faults];
  const limits = ['--rate-limit', String(rateLimit), '--window-seconds', '1'];
  let program: SupervisedProcess | undefined;
  const post = async (url: string, body: unknown) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const bodyText = await response.text();
    if (!response.ok)
      throw new Error(`${new URL(url).pathname} answered ${response.status}: ${bodyText}`);
    return JSON.parse(bodyText) as unknown;
  };
  return {
    origin,
    apiKey,
    data,
    journals,
    api: (path, body) => post(`${origin}/api/v1${path}`, body),
    set: (path, body) => post(`${origin}/_sandbox/${path}`, body),
    async stop(killSignal) {
      if (!program) return;
      if (killSignal === 'SIGKILL') process.kill(program.pid, 'SIGKILL');
      else await program.stop();
      await program.exited;
      program = undefined;
      const copy = join(folder, `journal-${journals.length + 1}.jsonl`);
      await copyFile(join(data, 'state.jsonl'), copy);
      journals.push(copy);
    },
    async start() {
      const args = ['sandbox', ...location, ...pace, ...limits];
      program = startProgram(args, {}, join(folder, 'platform.log'));
      await waitForOutput(program, /renderline\/sandbox\/v1/, signal);
    },
  };
}
