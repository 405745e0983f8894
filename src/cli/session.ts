// State of one command: streams, output, settings and exit code.
import { commandFailures } from '../failures/commands.ts';
import { exitCode } from '../failures/exit-code.ts';
import { type Config, loadConfig } from '../settings/config.ts';
import { CliError } from './cli-error.ts';
import type { Io } from './io.ts';
import { Output } from './output.ts';

export interface GlobalFlags {
  json?: true | undefined;
  quiet?: true | undefined;
  config?: string | undefined;
  baseUrl?: string | undefined;
  taskQueue?: string | undefined;
}

/** Runs one command line and returns its exit code. */
export type RunCommand = (words: readonly string[], io: Io) => Promise<number>;

export class Session {
  readonly io: Io;
  readonly output: Output;
  /** Runs other commands in this process; null if that is not possible. */
  readonly program: RunCommand | null;
  /** Global options; set before the action of a command runs. */
  flags: GlobalFlags = {};
  /** Printed when the command is interrupted: how to return to a run that continues. */
  resumeHint: string | null = null;
  #exitCode: number = exitCode.done;
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

  get exitCode(): number {
    return this.#exitCode;
  }

  /** Wraps a function as a commander action that stores the returned exit code. */
  action<Args extends unknown[]>(
    work: (...args: Args) => Promise<number>,
  ): (...args: Args) => Promise<void> {
    return async (...args) => {
      this.#exitCode = await work(...args);
    };
  }

  async config(): Promise<Config> {
    if (this.#config === undefined) {
      this.#config = await loadConfig({ env: this.io.env, cwd: this.io.cwd, flags: this.flags });
      if (this.#config.ignoredFile !== null) this.output.note(this.#config.ignoredFile);
    }
    return this.#config;
  }

  /** Loads the project's plugins (node types and connectors). Commands that compile, execute or report runs need them. */
  async usePlugins(): Promise<void> {
    const { file, plugins } = await this.config();
    if (file === null || plugins.value.length === 0) return;
    const { loadPlugins } = await import('../plugins/load-plugins.ts');
    await loadPlugins(plugins.value, file);
  }

  /** Base URL and API key. @throws CliError if one of them is not configured */
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
      `The platform is not configured: ${missing.join(' and ')} missing.`,
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
