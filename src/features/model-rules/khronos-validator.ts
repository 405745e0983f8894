// Runs Khronos' validator on an untrusted file in a child process with limits, so that a crash ends only the child.
import { createRequire } from 'node:module';
import pLimit from 'p-limit';
import { z } from 'zod';
import { tryParseJson } from '../../api/responses/bounded-json.ts';
import type { ByteSource } from '../../glb/byte-source.ts';
import { startHelper } from '../../settings/helper-process.ts';
import { parentWatchScript } from '../../settings/parent-watch.ts';

const Report = z.object({
  errors: z.int().min(0),
  warnings: z.int().min(0),
  /** The first few findings, errors first, in the form `CODE at /json/pointer`. */
  issues: z.array(z.string().max(400)).max(10),
});
export type KhronosReport = z.output<typeof Report>;

export interface KhronosLimits {
  maxBytes: number;
  heapMegabytes: number;
  timeoutMs: number;
}

const defaults: KhronosLimits = {
  // The limit applies because the whole file is held in memory, including in this process.
  maxBytes: 128 * 1024 ** 2,
  heapMegabytes: 512,
  timeoutMs: 60_000,
};

const require = createRequire(import.meta.url);
const limit = pLimit(2);
const maxReportBytes = 64 * 1024;

/** Ignores IO_ERROR, because external files are not read. The inspection already warns about them. */
const script = `${parentWatchScript}
const validator = require(process.argv[1]);
const chunks = [];
process.stdin.on('data', (chunk) => chunks.push(chunk));
process.stdin.on('end', async () => {
  const options = { maxIssues: 100, writeTimestamp: false, ignoredIssues: ['IO_ERROR'] };
  const { issues } = await validator.validateBytes(new Uint8Array(Buffer.concat(chunks)), options);
  const found = issues.messages.filter(({ severity }) => severity < 2);
  found.sort((one, other) => one.severity - other.severity);
  const first = found.slice(0, 10).map(({ code, pointer = '' }) => (code + (pointer && ' at ' + pointer)).slice(0, 400));
  process.stdout.write(JSON.stringify({ errors: issues.numErrors, warnings: issues.numWarnings, issues: first }));
});
`;

/**
 * Returns the validator's findings, or why there are none as a clause for "because …".
 * @throws errors of the source; HelperStartError
 */
export async function validateWithKhronos(
  source: ByteSource,
  signal?: AbortSignal,
  limits: Partial<KhronosLimits> = {},
): Promise<KhronosReport | string> {
  const { maxBytes, heapMegabytes, timeoutMs } = { ...defaults, ...limits };
  if (source.size > maxBytes) return `the file has more than ${maxBytes} bytes`;
  return limit(async () => {
    signal?.throwIfAborted();
    const bytes = await source.read(0, source.size);
    signal?.throwIfAborted();
    const output = await runScript(bytes, heapMegabytes, timeoutMs, signal);
    return Report.safeParse(tryParseJson(output)).data ?? 'the validator ended without findings';
  });
}

async function runScript(
  bytes: Uint8Array,
  heapMegabytes: number,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const validator = require.resolve('gltf-validator');
  const args = [`--max-old-space-size=${heapMegabytes}`, '-e', script, validator];
  const { child, started } = startHelper(args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    signal,
  });
  await started;
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maxReportBytes) output += text;
    });
    // A process that ends early does not read the rest of the file, so the write fails.
    child.stdin?.on('error', () => undefined).end(bytes);
    child.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
    child.on('close', () => resolve(output));
  });
}
