// An installation of docker-compose.yml with its own name, ports and folders.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asRecord } from '../../src/api/unknown-values.ts';
import { reservePorts } from '../chaos/ports.ts';
import { type CommandResult, type Engine, run, runOrThrow } from './engine.ts';

/** Services that exit when their work is done. */
const once = new Set([
  'temporal-schema',
  'temporal-namespace',
  'object-store-bucket',
  'data-owner',
]);
const expectedServices = [
  'postgresql',
  'temporal',
  'temporal-ui',
  'object-store',
  'sandbox',
  'receiver',
  'worker',
  'worker',
];
/** Time limit that allows for a busy machine. An idle machine needs a tenth of it. */
const healthyWithinMs = 600_000;
const pollIntervalMs = 1_000;

interface Container {
  id: string;
  service: string;
  state: string;
  health: string;
  exitCode: number;
}

export class Installation {
  readonly ports: { sandbox: number; objectStore: number };
  readonly data: string;
  readonly #engine: Engine;
  readonly #options: { cwd: string; env: Record<string, string | undefined> };
  readonly #name = `renderline-${process.pid}`;
  readonly #files = ['docker-compose.yml'];

  /** Creates folders and reserves ports, but starts nothing. @param cwd folder of the checkout */
  static async make(engine: Engine, cwd: string): Promise<Installation> {
    const root = await mkdtemp(join(tmpdir(), 'renderline-containers-'));
    const folders = { data: join(root, 'data'), project: join(root, 'project') };
    await Promise.all(Object.values(folders).map((folder) => mkdir(folder)));
    return new Installation({ engine, cwd, ...folders, ports: await reservePorts(5) });
  }

  private constructor(options: {
    engine: Engine;
    cwd: string;
    data: string;
    project: string;
    ports: number[];
  }) {
    const [temporal, ui, objectStore = 0, receiver, sandbox = 0] = options.ports;
    this.#engine = options.engine;
    this.data = options.data;
    this.project = options.project;
    this.ports = { sandbox, objectStore };
    const env = {
      ...process.env,
      RENDERLINE_DATA: options.data,
      RENDERLINE_PROJECT: options.project,
      TEMPORAL_PORT: String(temporal),
      TEMPORAL_UI_PORT: String(ui),
      OBJECT_STORE_PORT: String(objectStore),
      RECEIVER_PORT: String(receiver),
      SANDBOX_PORT: String(sandbox),
      RENDERLINE_CODEC_KEYS: `play:${randomBytes(32).toString('base64')}`,
    };
    this.#options = { cwd: options.cwd, env };
  }

  readonly project: string;

  /** Starts everything and waits until it is healthy. @returns the number of seconds that each service took */
  async up(): Promise<Map<string, number>> {
    const startedAt = Date.now();
    await this.start();
    const healthyAfter = new Map<string, number>();
    for (;;) {
      const containers = await this.containers();
      for (const { service, state, health, exitCode } of containers) {
        const isEnd = state === 'exited' && once.has(service);
        if (isEnd && exitCode !== 0) throw new Error(`${service} ended with ${exitCode}`);
        if (!isEnd && health !== 'healthy') continue;
        if (!healthyAfter.has(service)) {
          healthyAfter.set(service, Math.round((Date.now() - startedAt) / 1_000));
        }
      }
      const missingServices = missingOf(containers);
      if (missingServices.length === 0) return healthyAfter;
      if (Date.now() - startedAt > healthyWithinMs) {
        throw new Error(
          `not healthy: ${missingServices.join(', ')}\n${await this.logs(missingServices)}`,
        );
      }
      await delay(pollIntervalMs);
    }
  }

  /** Starts the services (all of them by default) without waiting. */
  async start(...services: readonly string[]): Promise<void> {
    await this.#runCompose(['up', '--detach', '--no-build', ...services]);
  }

  /**
   * Passes the keys to later commands and containers. With `read`, they can decrypt, but they still write unencrypted.
   */
  useKeys(mode: 'read' | 'write'): void {
    const file = 'deploy/encryption.yml';
    if (!this.#files.includes(file)) this.#files.push(file);
    this.#options.env['RENDERLINE_CODEC_WRITE'] = mode === 'read' ? 'off' : '';
  }

  /** Recreates a service with only the settings of docker-compose.yml. */
  async startWithoutKeys(service: string): Promise<void> {
    const args = ['up', '--detach', '--no-build', '--no-deps', '--force-recreate', service];
    await runOrThrow([...this.#engine.compose, ...this.#flags(['docker-compose.yml']), ...args], {
      ...this.#options,
      limitMs: healthyWithinMs,
    });
  }

  /** Runs `deploy/SCRIPT FOLDER` for this installation. */
  script(name: string, folder: string): Promise<string> {
    const env = { ...this.#options.env, COMPOSE: this.#composeCommand([]).join(' ') };
    return runOrThrow([`deploy/${name}`, folder], {
      ...this.#options,
      env,
      limitMs: healthyWithinMs,
    });
  }

  /** Deletes volumes, as if a disk were lost. Allowed only while everything is down. */
  async deleteVolumes(...volumes: readonly string[]): Promise<void> {
    const names = volumes.map((volume) => `${this.#name}_${volume}`);
    await runOrThrow([...this.#engine.cli, 'volume', 'rm', ...names], this.#options);
  }

  async inspect(id: string): Promise<unknown> {
    const text = await runOrThrow([...this.#engine.cli, 'inspect', id], this.#options);
    return (JSON.parse(text) as unknown[])[0];
  }

  async containers(): Promise<Container[]> {
    const text = await this.#runCompose(['ps', '--all', '--format', 'json']);
    return text.split('\n').flatMap((line) => {
      if (line.trim() === '') return [];
      const { ID, Service, State, Health, ExitCode } = asRecord(JSON.parse(line));
      const [id, service, state, health] = [ID, Service, State, Health].map(String);
      return [{ id, service, state, health, exitCode: Number(ExitCode) } as Container];
    });
  }

  /** Runs `renderline ARGS` in a new container. */
  cli(args: readonly string[], onOutput = () => {}): Promise<CommandResult> {
    const command = this.#composeCommand([
      '--progress',
      'quiet',
      'run',
      '--rm',
      '-T',
      'cli',
      ...args,
    ]);
    return run(command, { ...this.#options, onOutput });
  }

  /** Queries Temporal's database. */
  async query(sql: string): Promise<string> {
    const args = [
      'psql',
      '--username',
      'temporal',
      '--tuples-only',
      '--no-align',
      '--command',
      sql,
    ];
    return (await this.#runCompose(['exec', '-T', 'postgresql', ...args])).trim();
  }

  read(service: string, path: string): Promise<string> {
    return this.#runCompose(['exec', '-T', service, 'cat', path]);
  }

  /** Kills one container of a service with SIGKILL. */
  async kill(service: string): Promise<void> {
    const container = (await this.containers()).find((candidate) => candidate.service === service);
    if (container === undefined) throw new Error(`no container of ${service}`);
    await runOrThrow(
      [...this.#engine.cli, 'kill', '--signal', 'KILL', container.id],
      this.#options,
    );
  }

  async restart(...services: readonly string[]): Promise<void> {
    await this.#runCompose(['restart', ...services]);
  }

  /** Removes containers and the network. Keeps volumes. */
  async down(): Promise<void> {
    await this.#runCompose(['down', '--timeout', '50']);
  }

  async logs(services: readonly string[], lines = '40'): Promise<string> {
    const { stdout } = await run(
      this.#composeCommand(['logs', '--no-color', '--tail', lines, ...new Set(services)]),
      this.#options,
    );
    return stdout;
  }

  async remove(): Promise<void> {
    await run(this.#composeCommand(['down', '--volumes', '--remove-orphans']), this.#options);
    await rm(join(this.data, '..'), { recursive: true, force: true });
  }

  #composeCommand(args: readonly string[]): string[] {
    return [...this.#engine.compose, ...this.#flags(this.#files), ...args];
  }

  #flags(files: readonly string[]): string[] {
    const fileFlags = files.flatMap((file) => ['--file', file]);
    const projectFlags = ['--env-file', 'deploy/sandbox.env', '--project-name', this.#name];
    return [...fileFlags, ...projectFlags, '--profile', 'sandbox'];
  }

  #runCompose(args: readonly string[]): Promise<string> {
    return runOrThrow(this.#composeCommand(args), { ...this.#options, limitMs: healthyWithinMs });
  }
}

/** Returns the services with fewer healthy containers than expected. */
function missingOf(containers: readonly Container[]): string[] {
  const healthy = containers.filter(
    ({ health, state }) => state === 'running' && health === 'healthy',
  );
  const healthyServices = healthy.map(({ service }) => service);
  return expectedServices.filter((service) => {
    const index = healthyServices.indexOf(service);
    if (index >= 0) healthyServices.splice(index, 1);
    return index < 0;
  });
}
