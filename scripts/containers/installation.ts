// An installation of docker-compose.yml under a name, ports and folders of its own.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { looseFields } from '../../src/api/loose-fields.ts';
import { keptPorts } from '../chaos/ports.ts';
import { type Engine, must, type Ran, run } from './engine.ts';

/** Services that end once their work is done. */
const once = new Set([
  'temporal-schema',
  'temporal-namespace',
  'object-store-bucket',
  'data-owner',
]);
const lasting = [
  'postgresql',
  'temporal',
  'temporal-ui',
  'object-store',
  'sandbox',
  'receiver',
  'worker',
  'worker',
];
/** On a busy machine; an idle one needs a tenth. */
const healthyWithinMs = 600_000;
const lookEveryMs = 1_000;

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

  /** Nothing is started here. @param cwd the checkout */
  static async make(engine: Engine, cwd: string): Promise<Installation> {
    const root = await mkdtemp(join(tmpdir(), 'renderline-containers-'));
    const folders = { data: join(root, 'data'), project: join(root, 'project') };
    await Promise.all(Object.values(folders).map((folder) => mkdir(folder)));
    return new Installation({ engine, cwd, ...folders, ports: await keptPorts(5) });
  }

  private constructor(at: {
    engine: Engine;
    cwd: string;
    data: string;
    project: string;
    ports: number[];
  }) {
    const [temporal, ui, objectStore = 0, receiver, sandbox = 0] = at.ports;
    this.#engine = at.engine;
    this.data = at.data;
    this.project = at.project;
    this.ports = { sandbox, objectStore };
    const env = {
      ...process.env,
      RENDERLINE_DATA: at.data,
      RENDERLINE_PROJECT: at.project,
      TEMPORAL_PORT: String(temporal),
      TEMPORAL_UI_PORT: String(ui),
      OBJECT_STORE_PORT: String(objectStore),
      RECEIVER_PORT: String(receiver),
      SANDBOX_PORT: String(sandbox),
    };
    this.#options = { cwd: at.cwd, env };
  }

  readonly project: string;

  /** Everything is up and healthy; gives the seconds after which each service was. */
  async up(): Promise<Map<string, number>> {
    const startedAt = Date.now();
    await this.#must(['up', '--detach', '--no-build']);
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
      const missing = missingOf(containers);
      if (missing.length === 0) return healthyAfter;
      if (Date.now() - startedAt > healthyWithinMs) {
        throw new Error(`not healthy: ${missing.join(', ')}\n${await this.logs(missing)}`);
      }
      await delay(lookEveryMs);
    }
  }

  async containers(): Promise<Container[]> {
    const text = await this.#must(['ps', '--all', '--format', 'json']);
    return text.split('\n').flatMap((line) => {
      if (line.trim() === '') return [];
      const { ID, Service, State, Health, ExitCode } = looseFields(JSON.parse(line));
      const [id, service, state, health] = [ID, Service, State, Health].map(String);
      return [{ id, service, state, health, exitCode: Number(ExitCode) } as Container];
    });
  }

  /** `renderline ARGS` in a container of its own. */
  cli(args: readonly string[], heard = () => {}): Promise<Ran> {
    const words = this.#words(['--progress', 'quiet', 'run', '--rm', '-T', 'cli', ...args]);
    return run(words, { ...this.#options, heard });
  }

  /** A file in a container of a service. */
  read(service: string, path: string): Promise<string> {
    return this.#must(['exec', '-T', service, 'cat', path]);
  }

  /** kill -9 of one container of a service. */
  async kill(service: string): Promise<void> {
    const found = (await this.containers()).find((one) => one.service === service);
    if (found === undefined) throw new Error(`no container of ${service}`);
    await must([...this.#engine.cli, 'kill', '--signal', 'KILL', found.id], this.#options);
  }

  async restart(...services: readonly string[]): Promise<void> {
    await this.#must(['restart', ...services]);
  }

  /** Containers and network go; volumes stay. */
  async down(): Promise<void> {
    await this.#must(['down', '--timeout', '50']);
  }

  async logs(services: readonly string[]): Promise<string> {
    const { stdout } = await run(
      this.#words(['logs', '--no-color', '--tail', '40', ...new Set(services)]),
      this.#options,
    );
    return stdout;
  }

  async remove(): Promise<void> {
    await run(this.#words(['down', '--volumes', '--remove-orphans']), this.#options);
    await rm(join(this.data, '..'), { recursive: true, force: true });
  }

  #words(words: readonly string[]): string[] {
    const files = ['--env-file', 'deploy/sandbox.env', '--project-name', this.#name];
    return [...this.#engine.compose, ...files, '--profile', 'sandbox', ...words];
  }

  #must(words: readonly string[]): Promise<string> {
    return must(this.#words(words), { ...this.#options, limitMs: healthyWithinMs });
  }
}

/** Services of which fewer are healthy than there should be. */
function missingOf(containers: readonly Container[]): string[] {
  const healthy = containers.filter(
    ({ health, state }) => state === 'running' && health === 'healthy',
  );
  const left = healthy.map(({ service }) => service);
  return lasting.filter((service) => {
    const at = left.indexOf(service);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
