// The platform of a round: a sandbox process on a folder and a port of its own, which can be killed and started again.
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SupervisedProcess } from '../../src/temporal/supervised-process.ts';
import type { RoundPlan } from './plan.ts';
import { keptPorts } from './ports.ts';
import { startProgram, untilSaid } from './program.ts';

export interface Platform {
  readonly origin: string;
  readonly apiKey: string;
  /** Its state and files; `state.jsonl` is its journal. */
  readonly data: string;
  /** Copies of the journal as it was at each stop: a start writes only what is true then. */
  readonly journals: readonly string[];
  /** A request as another client of the workspace sends it. */
  api(path: string, body: unknown): Promise<unknown>;
  /** POST /_sandbox/PATH */
  set(path: string, body: unknown): Promise<unknown>;
  /** Settles when it is dead. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** The same state on the same port. */
  start(): Promise<void>;
}

interface Options {
  folder: string;
  apiKey: string;
  plan: RoundPlan;
  signal: AbortSignal;
}

/** Work takes long enough for something to happen meanwhile, and not much longer. */
const durations = [
  { model: '**', probability: 0.3, do: { durationMs: 1_500 } },
  { render: '**', probability: 0.5, do: { durationMs: 1_500 } },
];

/** It does the work, fails to say so, and does not know the key of the request when it comes again. */
const forgetful = {
  match: 'POST /{jobs,models,projects,renders}',
  probability: 0.3,
  times: 3,
  do: { commitThenStatus: 500 },
};

/** A platform that is not started yet. */
export async function makePlatform(options: Options): Promise<Platform> {
  const { folder, apiKey, plan, signal } = options;
  const { seed, rateLimit } = plan;
  const [port = 0] = await keptPorts(1);
  const origin = `http://127.0.0.1:${port}`;
  const data = join(folder, 'platform');
  const faults = join(folder, 'durations.json');
  await mkdir(data, { recursive: true });
  await writeFile(
    faults,
    JSON.stringify(plan.faults.includes('forgets') ? [...durations, forgetful] : durations),
  );
  const journals: string[] = [];
  const place = ['--port', String(port), '--data', data, '--api-key', apiKey, '--json'];
  // Pictures this small are drawn as they are, so that each shows its own model.
  const pace = ['--speed', '40', '--seed', String(seed), '--faults', faults];
  const limits = ['--rate-limit', String(rateLimit), '--window-seconds', '1'];
  let program: SupervisedProcess | undefined;
  const post = async (url: string, body: unknown) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${said}`);
    return JSON.parse(said) as unknown;
  };
  return {
    origin,
    apiKey,
    data,
    journals,
    api: (path, body) => post(`${origin}/api/v1${path}`, body),
    set: (path, body) => post(`${origin}/_sandbox/${path}`, body),
    async stop(how) {
      if (!program) return;
      if (how === 'SIGKILL') process.kill(program.pid, 'SIGKILL');
      else await program.stop();
      await program.exited;
      program = undefined;
      const copy = join(folder, `journal-${journals.length + 1}.jsonl`);
      await copyFile(join(data, 'state.jsonl'), copy);
      journals.push(copy);
    },
    async start() {
      const args = ['sandbox', ...place, ...pace, ...limits];
      program = startProgram(args, {}, join(folder, 'platform.log'));
      await untilSaid(program, /renderline\/sandbox\/v1/, signal);
    },
  };
}
