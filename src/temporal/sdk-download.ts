// The download that the Temporal SDK brings along, run aside so that it can be bounded and ended.
import { readdir, rename, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Environment } from './cache-dir.ts';
import { inFreshFolder } from './fresh-folder.ts';
import { CommandError, runCommand } from './run-command.ts';

export type ServerKind = 'dev' | 'time-skipping';

export interface DownloadRequest {
  kind: ServerKind;
  /** Where the executable is to be, in the end. */
  target: string;
  env: Environment;
  onProgress: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** The download is given up when no new byte has come for so long. */
  stallMs?: number;
  /** The module that downloads; default: @temporalio/testing. */
  sdkModule?: string;
}

const STALL_MS = 20_000;
const LIMIT_MS = 15 * 60_000;

// In a process of its own: the SDK's download cannot be cancelled, and without internet it may hang.
// Creating the environment downloads, and proves that the server starts.
const SCRIPT = `
const [testing, kind, downloadDir] = process.argv.slice(1);
const { TestWorkflowEnvironment } = require(testing);
const server = { executable: { type: 'cached-download', downloadDir } };
const create = kind === 'dev'
  ? TestWorkflowEnvironment.createLocal({ server })
  : TestWorkflowEnvironment.createTimeSkipping({ server });
create.then((env) => env.teardown()).then(() => process.exit(0), (error) => {
  console.error(error.message);
  process.exit(1);
});
`;

/** Downloads the server that fits the SDK to `target`; throws when nothing arrives for `stallMs`. */
export async function downloadWithSdk(request: DownloadRequest): Promise<string> {
  const { kind, target, env, onProgress, signal, stallMs = STALL_MS } = request;
  const testing =
    request.sdkModule ?? createRequire(import.meta.url).resolve('@temporalio/testing');
  return inFreshFolder(dirname(target), 'download-', async (folder) => {
    const watch = new GrowthWatch(folder, stallMs);
    await runCommand(process.execPath, ['-e', SCRIPT, testing, kind, folder], {
      env,
      signal,
      timeoutMs: LIMIT_MS,
      tickMs: Math.min(1_000, stallMs / 4),
      onTick: (elapsedMs) => watch.tick(elapsedMs, onProgress),
    }).catch((error: unknown) => {
      throw new Error(shortReason(error));
    });
    const [file] = await readdir(folder);
    if (!file) throw new Error('the SDK reported success but left no file');
    await rename(join(folder, file), target);
    return target;
  });
}

class GrowthWatch {
  readonly #folder: string;
  readonly #stallMs: number;
  #bytes = 0;
  #grewAtMs = 0;
  #nowMs = 0;

  constructor(folder: string, stallMs: number) {
    this.#folder = folder;
    this.#stallMs = stallMs;
  }

  tick(elapsedMs: number, onProgress: (line: string) => void): void {
    this.#nowMs = elapsedMs;
    if (elapsedMs - this.#grewAtMs > this.#stallMs) {
      throw new Error(`no byte arrived for ${Math.round(this.#stallMs / 1_000)} s`);
    }
    folderBytes(this.#folder).then(
      (bytes) => {
        if (bytes === this.#bytes) return;
        this.#bytes = bytes;
        this.#grewAtMs = this.#nowMs;
        onProgress(`downloading, ${Math.round(bytes / 1_048_576)} MB so far`);
      },
      () => undefined,
    );
  }
}

async function folderBytes(folder: string): Promise<number> {
  let total = 0;
  for (const file of await readdir(folder)) total += (await stat(join(folder, file))).size;
  return total;
}

// The whole output holds the SDK's stack of causes; its last line names the address and the fault.
function shortReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof CommandError)) return error.message;
  const lines = error.output.split('\n').filter((line) => line.trim());
  return lines.at(-1) ?? error.message;
}
