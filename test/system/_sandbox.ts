// The platform in the test's own process. Tests that kill the platform start a process (`sandbox-kill.test.ts`, chaos).
import { startInProcess } from './_in-process.ts';
import { type CommandResult, type Env, stopAtEnd } from './_stack.ts';

/** GET /_sandbox/stats */
export interface SandboxStats {
  requests: Record<string, number>;
  totalRequests: number;
  rateLimited: number;
  replayed: number;
  keySentToStorage: number;
  created: { models: number; projects: number; renderJobs: number; jobs: number };
  /** How many models were created under each file name. */
  fileNames: Record<string, number>;
}

export interface SandboxInUse {
  env: Env;
  origin: string;
  stats(): Promise<SandboxStats>;
  /** POST /_sandbox/PATH */
  set(path: string, value: unknown): Promise<unknown>;
  /** Calls an operation of the platform as another client of the workspace. */
  api(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<CommandResult>;
}

/** Flags of a sandbox that renders twenty times as fast and makes pictures of one pixel. */
export const fastSandbox = ['--speed', '20', '--picture-scale', '0'];

export async function startSandbox(flags: string[] = []): Promise<SandboxInUse> {
  const running = startInProcess(['sandbox', '--port', '0', '--json', ...flags], {});
  stopAtEnd(running);
  await running.waitForOutput('baseUrl');
  const { baseUrl, apiKey } = JSON.parse(running.stdout()) as { baseUrl: string; apiKey: string };
  const { origin } = new URL(baseUrl);
  return {
    origin,
    env: { RENDERLINE_BASE_URL: baseUrl, RENDERLINE_API_KEY: apiKey },
    stats: async () =>
      (await readResponse(await fetch(`${origin}/_sandbox/stats`))) as SandboxStats,
    set: async (path, value) =>
      readResponse(
        await fetch(`${origin}/_sandbox/${path}`, { method: 'POST', body: JSON.stringify(value) }),
      ),
    api: async (method, path, body) =>
      readResponse(
        await fetch(`${baseUrl}${path}`, {
          method,
          headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
    stop: () => running.stop(),
  };
}

async function readResponse(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
