// `renderline/compile`: what `renderline validate` and the beginning of `plan` do, for programs.
import { compileFile } from '../../compile/compile.ts';
import type { Problem } from '../../compile/yaml/problem.ts';
import type { Plan } from '../../plan/types.ts';
import { processEnvironment } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';

export type { Plan, Problem };

export interface CompileOptions {
  /** Values of the pipeline's parameters, by name. Without them the file is checked and gives no plan. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Folder that relative paths begin at. @default that of the process */
  readonly cwd?: string;
  /** Decides which secrets and hosts the file may name. @default that of the process */
  readonly env?: Environment;
}

export interface Compilation {
  /** There is no error among the problems. */
  readonly ok: boolean;
  /** null where there are errors, or no parameters were given. */
  readonly plan: Plan | null;
  /** Errors, warnings and notes with their places, all at once, in the order of the file. */
  readonly problems: readonly Problem[];
}

/** Reads, checks and compiles a pipeline file. Asks nobody; a file that is wrong, or not there, is a problem and no error. */
export async function compile(file: string, options: CompileOptions = {}): Promise<Compilation> {
  const {
    parameters = null,
    cwd = process.cwd(),
    env: environment = processEnvironment(),
  } = options;
  const { ok, plan, problems } = await compileFile(file, { parameters, cwd, environment });
  return { ok, plan, problems };
}
