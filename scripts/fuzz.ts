// `npm run fuzz`: schemathesis against a sandbox of its own, driven by its openapi.json. Bounded in time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../src/sandbox/server.ts';

const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';
const seconds = process.env['FUZZ_SECONDS'] ?? '180';

/**
 * All checks, with what the document decides otherwise than schemathesis would guess:
 * - It knows no 405: a path or method without an operation is 404 in the envelope.
 * - A schema cannot say every rule (an id that must exist, a key that was used before), so that what fits the
 *   schema may still be refused with a documented code.
 * - Deleting a property archives it; it can still be read (4.11).
 * - Adding an option answers with its property, whose id is no option's.
 */
const settings = `[checks]
unsupported_method.enabled = false

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "400", "401", "403", "404", "409", "422", "429"]

[[operations]]
include-operation-id = ["getProperty", "updateProperty", "archiveProperty"]
checks.use_after_free.enabled = false

[[operations]]
include-operation-id = ["updatePropertyOption"]
checks.ensure_resource_availability.enabled = false
`;

const install = `schemathesis is not there; it is a Python program that only this script needs:
  python3 -m venv ~/.venvs/schemathesis
  ~/.venvs/schemathesis/bin/pip install schemathesis
  SCHEMATHESIS=~/.venvs/schemathesis/bin/schemathesis npm run fuzz
More arguments go to schemathesis: npm run fuzz -- --include-tag Models. FUZZ_SECONDS bounds the run (180).`;

/** The exit code of schemathesis; 2 when it is not installed. */
async function fuzz(folder: string): Promise<number> {
  const config = join(folder, 'schemathesis.toml');
  await writeFile(config, settings);
  const sandbox = await startSandbox({ seed: 1, rateLimit: 0, speed: 1000, pictureScale: 0.05 });
  try {
    const fixed = ['--config-file', config, 'run', `${sandbox.url}/openapi.json`];
    const key = ['-H', `X-API-Key: ${sandbox.apiKey}`];
    const phases = ['--phases', 'coverage,fuzzing,stateful'];
    const bounds = ['--max-time', seconds, '--continue-on-failure', '--max-redirects', '0'];
    const args = [...fixed, ...key, ...phases, ...bounds, '-n', '20', ...process.argv.slice(2)];
    const run = spawn(program, args, { cwd: folder, stdio: 'inherit' });
    const [code] = (await once(run, 'exit')) as [number | null];
    return code ?? 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    console.error(install);
    return 2;
  } finally {
    await sandbox.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'renderline-fuzz-'));
try {
  process.exitCode = await fuzz(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
