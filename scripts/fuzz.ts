// `npm run fuzz`: checks untrusted inputs (such as pipeline files, expressions, tables, responses and pictures) against
// limits on work and memory, then runs schemathesis against a sandbox. Its duration is limited. `--bomb NAME` runs one
// bomb.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '@renderline/sandbox';
import { cacheDirectory } from '../src/settings/cache-dir.ts';
import { runBomb, runBombs } from './fuzz/bombs.ts';
import { fuzzInputs } from './fuzz/inputs.ts';
import { wholeNumber } from './whole-number.ts';

/** The settings and the hook below are written for this version. */
const version = '4.32.5';
const seconds = process.env['FUZZ_SECONDS'] ?? '180';

/**
 * All checks are enabled, except where the platform's documentation differs from schemathesis' assumptions:
 * - No response is 405, because an unknown path or method results in a 404 with the error body.
 * - A schema cannot express every rule (an id must exist, a key may be used once), so a request that fits the schema
 *   may be refused with a documented code.
 * - Deleting a property archives it, and it can still be read.
 * - Adding an option returns its property, whose id differs from that of the option.
 * - If a body refers to a missing resource, the response is 404 even if the path's resource is new.
 */
const settings = `hooks = "hooks.py"

[checks]
unsupported_method.enabled = false

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "400", "401", "403", "404", "409", "422", "429"]

[[operations]]
include-operation-id = ["getProperty", "updateProperty", "archiveProperty"]
checks.use_after_free.enabled = false

[[operations]]
include-operation-id = [
  "updatePropertyOption", "mergePropertyOptions", "convertTagToPropertyOption",
  "updateProp", "updateDecal", "updateMaterial", "confirmMaterial",
  "exportProductionFile", "createProductionFile", "previewProductionFile", "requestProductionViews",
]
checks.ensure_resource_availability.enabled = false
`;

/**
 * A repeated idempotency key gets the first response unchanged, even if its resource has been deleted since. Generated
 * keys repeat, so sequences of requests are sent without keys.
 */
const hooks = `import schemathesis
from schemathesis import GenerationMode
from schemathesis.generation.meta import TestPhase


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta and meta.phase.name == TestPhase.STATEFUL and meta.generation.mode == GenerationMode.POSITIVE:
        case.headers.pop("Idempotency-Key", None)
`;

const skipMessage = `Skipped: schemathesis ${version} could not be installed from PyPI. Install it by hand and name it: SCHEMATHESIS=/path/to/schemathesis npm run fuzz`;

/**
 * Returns the path of schemathesis: `SCHEMATHESIS`, or a virtual environment that is kept for the next run. Null if it
 * cannot be installed.
 */
async function schemathesis(): Promise<string | null> {
  const customPath = process.env['SCHEMATHESIS'];
  if (customPath) return customPath;
  const home = join(cacheDirectory(process.env), `schemathesis-${version}`);
  const program = join(home, 'bin', 'schemathesis');
  const exists = await access(program).then(
    () => true,
    () => false,
  );
  if (exists) return program;
  console.error(`Installing schemathesis ${version} into ${home}`);
  const run = promisify(execFile);
  try {
    await run('python3', ['-m', 'venv', home]);
    await run(join(home, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${version}`]);
  } catch {
    // The next run would mistake a partial environment for a complete one.
    await rm(home, { recursive: true, force: true });
    return null;
  }
  return program;
}

/**
 * Runs schemathesis against a sandbox for FUZZ_SECONDS (180), with the arguments of this command, for example
 * `npm run fuzz -- --include-tag Models`. @returns the exit code
 */
async function fuzz(program: string, folder: string): Promise<number> {
  const config = join(folder, 'schemathesis.toml');
  await writeFile(config, settings);
  await writeFile(join(folder, 'hooks.py'), hooks);
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
  } finally {
    await sandbox.stop();
  }
}

/** Fuzzes all untrusted inputs and prints violations. @returns whether all limits held */
async function inputsHold(): Promise<boolean> {
  const usage = 'FUZZ_SEED=7 FUZZ_RUNS=2000 npm run fuzz';
  const random = String(Math.trunc(Math.random() * 2 ** 31));
  const seed = wholeNumber('FUZZ_SEED', process.env['FUZZ_SEED'] ?? random, 0, usage);
  const runs = wholeNumber('FUZZ_RUNS', process.env['FUZZ_RUNS'] ?? '2000', 0, usage);
  console.log(`Inputs: FUZZ_SEED=${seed} FUZZ_RUNS=${runs}`);
  const violations = [
    ...(await runBombs([...process.execArgv, program, bombFlag])),
    ...(await fuzzInputs(seed, runs)),
  ];
  for (const violation of violations) console.error(violation);
  return violations.length === 0;
}

async function everythingHolds(): Promise<number> {
  const hasNoViolations = await inputsHold();
  const programPath = await schemathesis();
  if (programPath === null) {
    console.log(skipMessage);
    return hasNoViolations ? 0 : 1;
  }
  const folder = await mkdtemp(join(tmpdir(), 'renderline-fuzz-'));
  try {
    const code = await fuzz(programPath, folder);
    return hasNoViolations ? code : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const bombFlag = '--bomb';
const [, program = '', flag, bomb = ''] = process.argv;
if (flag === bombFlag) await runBomb(bomb);
else process.exitCode = await everythingHolds();
