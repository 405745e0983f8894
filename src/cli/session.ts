// State that every command shares: output, settings, and exit code.
import { commandFailures } from '../failures/commands.ts';
import { exitCode } from '../failures/exit-code.ts';
import { type Config, loadConfig } from '../settings/config.ts';
import { CliError } from './exit.ts';
import type { Io } from './io.ts';
import { Output } from './output.ts';

export interface GlobalFlags {
  json?: true | undefined;
  quiet?: true | undefined;
  config?: string | undefined;
  baseUrl?: string | undefined;
  taskQueue?: string | undefined;
}

/** Runs one command line to its end and gives the exit code. */
export type RunCommand = (words: readonly string[], io: Io) => Promise<number>;

export class Session {
  readonly io: Io;
  readonly output: Output;
  /** The program, for a command that carries out others; null where there is none. */
  readonly program: RunCommand | null;
  /** Options before or after any command; set once a command begins. */
  flags: GlobalFlags = {};
  /** How to return to what goes on when the command is interrupted. */
  wayBack: string | null = null;
  #end: number = exitCode.done;
  #config: Config | undefined;

  constructor(
    io: Io,
    json: boolean,
    { quiet = false, program = null }: { quiet?: boolean; program?: RunCommand | null } = {},
  ) {
    this.io = io;
    this.program = program;
    this.output = new Output(io, json, quiet);
  }

  get end(): number {
    return this.#end;
  }

  /** Turns a command's function into a commander action that keeps the exit code. */
  action<Args extends unknown[]>(
    work: (...args: Args) => Promise<number>,
  ): (...args: Args) => Promise<void> {
    return async (...args) => {
      this.#end = await work(...args);
    };
  }

  async config(): Promise<Config> {
    if (this.#config === undefined) {
      this.#config = await loadConfig({ env: this.io.env, cwd: this.io.cwd, flags: this.flags });
      if (this.#config.passedOver !== null) this.output.note(this.#config.passedOver);
    }
    return this.#config;
  }

  /** Adds the project's own node types and connectors, for commands that compile, work or tell of runs. */
  async usePlugins(): Promise<void> {
    const { file, plugins } = await this.config();
    if (file === null || plugins.value.length === 0) return;
    const { loadPlugins } = await import('../plugins/load-plugins.ts');
    await loadPlugins(plugins.value, file);
  }

  /** Base URL and key, for commands that need the platform. */
  async platform(): Promise<{ config: Config; baseUrl: string; apiKey: string }> {
    const config = await this.config();
    const baseUrl = config.baseUrl.value;
    const apiKey = config.apiKey.value;
    if (baseUrl !== null && apiKey !== null) return { config, baseUrl, apiKey };
    const missing = [
      ...(baseUrl === null ? ['RENDERLINE_BASE_URL'] : []),
      ...(apiKey === null ? ['RENDERLINE_API_KEY'] : []),
    ];
    throw new CliError(
      commandFailures.PLATFORM_NOT_SET,
      `The platform is not set: ${missing.join(' and ')} missing.`,
      {
        fix: [
          ...missing.map((name) => `export ${name}=${examples[name] ?? ''}`),
          '`renderline dev` starts a local platform and prints these lines for it.',
        ].join('\n'),
      },
    );
  }
}

const examples: Record<string, string> = {
  RENDERLINE_BASE_URL: 'https://<host>/api/v1',
  RENDERLINE_API_KEY: '<API_KEY>',
};
