// `renderline/compile`: validates and compiles pipeline files, as `renderline validate` and `plan` do.
import { compileFile } from '../../compile/compile.ts';
import type { Problem } from '../../compile/yaml/problem.ts';
import type { Plan } from '../../plan/types.ts';
import { processEnvironment } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';

export type { Plan, Problem };

export interface CompileOptions {
  /** Values of the pipeline's parameters, by name. Without values, the file is checked, but no plan is returned. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Base folder of relative paths. @default working directory of the process */
  readonly cwd?: string;
  /** Environment variables, which decide which secrets and hosts the file may use. @default those of the process */
  readonly env?: Environment;
  /** Channels of the team by name, as in `renderline.yaml`. @default none */
  readonly channels?: Readonly<Record<string, unknown>>;
}

export interface Compilation {
  /** True if none of the problems is an error. */
  readonly ok: boolean;
  /** Null if there are errors, or if no parameters were given. */
  readonly plan: Plan | null;
  /** All errors, warnings and notes with their positions, in the order of the file. */
  readonly problems: readonly Problem[];
}

/** Compiles a pipeline file. Sends no requests. An invalid or missing file results in problems and never throws. */
export async function compile(file: string, options: CompileOptions = {}): Promise<Compilation> {
  const { parameters = null, cwd = process.cwd(), channels = {} } = options;
  const environment = options.env ?? processEnvironment();
  const settings = { parameters, cwd, environment, channels };
  const { ok, plan, problems } = await compileFile(file, settings);
  return { ok, plan, problems };
}
