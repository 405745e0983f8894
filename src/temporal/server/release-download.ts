// Downloads one released version of the Temporal CLI, which contains the dev server, and verifies its SHA-256.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fetch } from 'undici';
import { createHttpAgent } from '../../api/network/http-agents.ts';
import { classifyNetworkError, formatNetworkError } from '../../api/network/network-errors.ts';
import type { Environment } from '../../settings/environment.ts';
import { runCommand } from './run-command.ts';
import { withTempFolder } from './temp-folder.ts';

/** The newest version that `go install` supports too, because later versions have a `replace` in their go.mod. */
export const cliVersion = '1.5.1';

/** SHA-256 of the archives of this version, by platform. */
const archives: Readonly<Record<string, string>> = {
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
};
const releases = 'https://github.com/temporalio/cli/releases/download';

const stallLimitMs = 20_000;
const unpackLimitMs = 5 * 60_000;
/** The limit is several times the size of the archives. */
const maxBytes = 256 * 1_048_576;
const reportBytes = 16 * 1_048_576;

export interface DownloadRequest {
  /** Final path of the executable. */
  target: string;
  env: Environment;
  onProgress: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** The download fails after this time without a new byte, ms. */
  stallMs?: number;
  /** Base URL of releases. Tests replace it. */
  from?: string;
  /** SHA-256 of the archives by platform. Tests replace it. */
  sha256Of?: Readonly<Record<string, string>>;
}

/** Downloads the CLI to `target`. Leaves no file if it throws, for example because of a wrong hash. */
export async function downloadRelease(request: DownloadRequest): Promise<string> {
  const { target, env, signal, from = releases, sha256Of = archives } = request;
  const platform = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const expectedSha256 = sha256Of[platform];
  if (expectedSha256 === undefined) throw new Error(`no release exists for ${platform}`);
  const url = `${from}/v${cliVersion}/temporal_cli_${cliVersion}_${platform}.tar.gz`;
  return withTempFolder(dirname(target), 'download-', async (folder) => {
    const archive = join(folder, 'temporal.tar.gz');
    const sha256 = await downloadTo(archive, url, request);
    if (sha256 !== expectedSha256) {
      const problem = `its SHA-256 is ${sha256}, not ${expectedSha256}`;
      throw new Error(`${url} differs from the release: ${problem}`);
    }
    await runCommand('tar', ['-xzf', archive, '-C', folder, 'temporal'], {
      env,
      signal,
      timeoutMs: unpackLimitMs,
    });
    await rename(join(folder, 'temporal'), target);
    return target;
  });
}

/** @returns SHA-256 of the downloaded file */
async function downloadTo(
  file: string,
  url: string,
  { onProgress, signal, stallMs = stallLimitMs }: DownloadRequest,
): Promise<string> {
  const stall = new AbortController();
  const giveUp = () => stall.abort(new Error(`${url}: no data received for ${stallMs / 1_000} s`));
  const timer = setTimeout(giveUp, stallMs);
  const agent = createHttpAgent('any');
  const downloadSignal = signal ? AbortSignal.any([signal, stall.signal]) : stall.signal;
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const { ok, status, body } = await fetch(url, { signal: downloadSignal, dispatcher: agent });
    if (!ok || !body) throw new Error(`${url} returned ${status}`);
    const countBytes = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        timer.refresh();
        hash.update(chunk);
        const previousBytes = bytes;
        bytes += chunk.length;
        if (bytes > maxBytes) throw new Error(`${url} has more than ${maxBytes} bytes`);
        if (Math.floor(bytes / reportBytes) > Math.floor(previousBytes / reportBytes)) {
          onProgress(`downloading, ${Math.round(bytes / 1_048_576)} MB so far`);
        }
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(body), countBytes, createWriteStream(file, { flags: 'wx' }), {
      signal: downloadSignal,
    });
    return hash.digest('hex');
  } catch (error) {
    downloadSignal.throwIfAborted();
    throw new Error(`${url}: ${reasonOf(error, new URL(url).host)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    await agent.destroy();
  }
}

/** The message of a failed fetch is only `fetch failed`. Its cause contains the reason. */
function reasonOf(error: unknown, host: string): string {
  const networkError = classifyNetworkError(error, host);
  if (networkError !== null) return formatNetworkError(networkError, host);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
