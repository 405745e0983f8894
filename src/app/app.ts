// Everything that a use case needs: its environment, its settings and a destination for its notes.
import { Writable } from 'node:stream';
import type { CompileOptions } from '../compile/compile.ts';
import { formatProblems, type Problem, type SharedTexts } from '../compile/yaml/problem.ts';
import { commandFailures } from '../failures/commands.ts';
import { type Config, type ConfigFlags, loadConfig } from '../settings/config.ts';
import type { Environment } from '../settings/environment.ts';
import type { ActingProgram } from '../temporal/connection/client-identity.ts';
import type { TemporalConnection } from '../temporal/connection/connect.ts';
import { interruptedError, RenderlineError } from './renderline-error.ts';

/** A file that has been checked. `source` is its text, or null if the file could not be read. */
interface ReadFile {
  readonly source: string | null;
  /** Texts of the shared parts that the file includes. */
  readonly shared?: SharedTexts;
}

export interface AppOptions {
  readonly env: Environment;
  /** Base folder of relative paths, which may contain `renderline.yaml`. */
  readonly cwd: string;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Absolute folders that must contain pipeline files and the folders that they use. Absent for no restriction. */
  readonly folders?: readonly string[] | undefined;
  /** Program that acts on behalf of a person. Absent for the command line. */
  readonly via?: ActingProgram | undefined;
  /** Receives warnings and progress for people. @default drops them */
  readonly onNote?: ((text: string) => void) | undefined;
  /** Receives the problems of a pipeline file that was read. @default emits them as notes */
  readonly onProblems?: ((file: ReadFile, problems: readonly Problem[]) => void) | undefined;
  /** Receives the log of clients and of local services. @default drops it */
  readonly logStream?: Writable | undefined;
  /** Aborts when the caller no longer needs the result. @default it never aborts */
  readonly signal?: AbortSignal | undefined;
  readonly flags?: ConfigFlags | undefined;
}

export class App {
  readonly env: Environment;
  readonly cwd: string;
  readonly now: () => number;
  readonly folders: readonly string[] | undefined;
  readonly via: ActingProgram | undefined;
  readonly logStream: Writable;
  readonly signal: AbortSignal;
  /** The command line sets the flags once it has parsed them, before anything reads the settings. */
  flags: ConfigFlags;
  /** An open connection, which whoever sets it must close. If undefined, each use case opens and closes its own. */
  temporal: TemporalConnection | undefined;
  readonly #onNote: (text: string) => void;
  readonly #onProblems: AppOptions['onProblems'];
  #config: Promise<Config> | undefined;

  constructor(options: AppOptions) {
    const { env, cwd, now = Date.now, folders, via, onNote, onProblems, signal, flags } = options;
    this.env = env;
    this.cwd = cwd;
    this.now = now;
    this.folders = folders;
    this.via = via;
    this.logStream = options.logStream ?? createSink();
    this.#onNote = onNote ?? (() => {});
    this.#onProblems = onProblems;
    this.signal = signal ?? new AbortController().signal;
    this.flags = flags ?? {};
  }

  /** Emits a warning or progress for people. */
  note(text: string): void {
    this.#onNote(text);
  }

  /** Called before each change that cannot be undone. @throws RenderlineError INTERRUPTED if the caller has left */
  beginChange(): void {
    if (this.signal.aborted) throw interruptedError();
  }

  /** Emits the problems of a pipeline file that was read. */
  reportProblems(file: ReadFile, problems: readonly Problem[]): void {
    if (problems.length === 0) return;
    if (this.#onProblems) this.#onProblems(file, problems);
    else this.note(formatProblems(problems, file.source, { shared: file.shared }));
  }

  /** Options for another app with the same settings but its own notes and signal. */
  get settings(): AppOptions {
    const { env, cwd, now, folders, via, logStream, flags } = this;
    return { env, cwd, now, folders, via, logStream, flags };
  }

  /** Returns the settings from flags, environment and renderline.yaml, which are read once. */
  config(): Promise<Config> {
    this.#config ??= this.#loadConfig();
    return this.#config;
  }

  async #loadConfig(): Promise<Config> {
    const config = await loadConfig({ env: this.env, cwd: this.cwd, flags: this.flags });
    if (config.ignoredFile !== null) this.note(config.ignoredFile);
    return config;
  }

  /** Returns the options for compiling a file, from the environment and from renderline.yaml. */
  async compileSettings(): Promise<Omit<CompileOptions, 'parameters'>> {
    const { cwd, env: environment, folders } = this;
    const { channels } = await this.config();
    return { cwd, environment, folders, channels: channels.value };
  }

  /** Loads the project's plugins (node types and connectors), which are needed to compile, execute and report runs. */
  async usePlugins(): Promise<void> {
    const { file, plugins } = await this.config();
    if (file === null || plugins.value.length === 0) return;
    const { loadPlugins } = await import('../plugins/load-plugins.ts');
    await loadPlugins(plugins.value, file);
  }

  /** True if both the base URL and the API key are configured. */
  async isPlatformSet(): Promise<boolean> {
    const { baseUrl, apiKey } = await this.config();
    return baseUrl.value !== null && apiKey.value !== null;
  }

  /** Returns the base URL and API key. @throws RenderlineError if one of them is not configured */
  async platform(): Promise<{ config: Config; baseUrl: string; apiKey: string }> {
    const config = await this.config();
    const baseUrl = config.baseUrl.value;
    const apiKey = config.apiKey.value;
    if (baseUrl !== null && apiKey !== null) return { config, baseUrl, apiKey };
    const missing = [
      ...(baseUrl === null ? [['RENDERLINE_BASE_URL', 'https://<host>/api/v1']] : []),
      ...(apiKey === null ? [['RENDERLINE_API_KEY', '<API_KEY>']] : []),
    ];
    const exports = missing.map(([name, example]) => `export ${name}=${example}\n`).join('');
    throw new RenderlineError(
      commandFailures.PLATFORM_NOT_SET,
      `The platform is not configured: ${missing.map(([name]) => name).join(' and ')} missing.`,
      {
        fix: `${exports}\`renderline dev\` starts a local platform and prints these lines for it.`,
      },
    );
  }
}

const createSink = () => new Writable({ write: (_chunk, _encoding, callback) => callback() });
