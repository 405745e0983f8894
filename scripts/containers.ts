// `npm run containers`: builds the images and starts docker-compose.yml with the sandbox. Tests runs through a killed
// worker, restarts of Temporal and PostgreSQL, a full stop and start, the loss of databases and bucket, and encryption
// keys that are added later. Without a container engine, the script says so and succeeds.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkBounds, checkReceiver } from './containers/checks.ts';
import { findEngine, runOrThrow } from './containers/engine.ts';
import { Installation } from './containers/installation.ts';
import { prepare, rounds, runRound } from './containers/rounds.ts';

const usage = `npm run containers -- [--no-build] [--only TEXT] [--keep]
  --no-build   use the existing images renderline and renderline-sandbox
  --only TEXT  only rounds whose name contains TEXT
  --keep       do not remove the installation at the end
CONTAINERS_CLI, CONTAINERS_COMPOSE, CONTAINERS_BUILD: commands to use instead of docker, docker compose, docker build`;

const { values } = parseArgs({
  options: {
    build: { type: 'boolean', default: true },
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowNegative: true,
});

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const options = { cwd, env: process.env };
const buildWithinMs = 1_800_000;

const say = (text: string) => void process.stdout.write(`${text}\n`);
const seconds = (sinceMs: number) => `${((Date.now() - sinceMs) / 1_000).toFixed(0)} s`;

async function main(): Promise<void> {
  if (values.help) return say(usage);
  const engine = await findEngine(options);
  if (typeof engine === 'string') return say(`skipped: ${engine}`);
  if (values.build) {
    const buildCommand = process.env['CONTAINERS_BUILD']?.split(' ') ?? [...engine.cli, 'build'];
    for (const [image, target] of [
      ['renderline', []],
      ['renderline-sandbox', ['--target', 'sandbox']],
    ] as const) {
      const startedAt = Date.now();
      await runOrThrow([...buildCommand, ...target, '--tag', image, '.'], {
        ...options,
        limitMs: buildWithinMs,
      });
      say(`built ${image} in ${seconds(startedAt)}`);
    }
  }
  const installation = await Installation.make(engine, cwd);
  const leave = () => void installation.remove().then(() => process.exit(130));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, leave);
  try {
    const healthy = await installation.up();
    say(
      `healthy after ${[...healthy].map(([service, waitSeconds]) => `${service} ${waitSeconds} s`).join(', ')}`,
    );
    await prepare(installation);
    const played = rounds.filter(({ name }) => name.includes(values.only));
    for (const [index, round] of played.entries()) {
      const startedAt = Date.now();
      await runRound(installation, round, index);
      say(`ok  ${round.name}, ${seconds(startedAt)}`);
      if (!round.hasKeys) continue;
      await checkReceiver(installation);
      say('ok  a receiver without the key is not ready');
    }
    await checkBounds(installation);
    say('ok  memory and rights of all containers are bounded');
  } finally {
    if (!values.keep) await installation.remove();
  }
}

await main();
