// The pipelines that the pages offer: files in the paths that the command was started with, and their parameters.

import { listFiles } from '../app/pipeline-files.ts';
import { compileFile } from '../compile/compile.ts';
import type { Parameter } from '../compile/pipeline.ts';
import type { Environment } from '../settings/environment.ts';

export interface OfferedPipeline {
  /** Path as named or found. Requests for any other file are refused. */
  file: string;
  name: string;
  description: string;
  parameters: Readonly<Record<string, Parameter>>;
  /** First error of a file that cannot run; null if it has none. */
  problem: string | null;
  /** Whether events of the platform start the pipeline. */
  isOnEvents: boolean;
}

/** Reads the files at every call, so that corrections show after a reload. @throws errors of the file system */
export async function listOfferedPipelines(
  paths: readonly string[],
  { cwd, environment }: { cwd: string; environment: Environment },
): Promise<OfferedPipeline[]> {
  const files = await listFiles({ cwd }, paths);
  const offered: OfferedPipeline[] = [];
  for (const { file } of files) {
    const { ok, pipeline, problems, source, isOnEvents } = await compileFile(file, {
      cwd,
      environment,
      parameters: null,
    });
    // The folder may contain other YAML files, such as settings and tests.
    if (source === null || !/^nodes\s*:/m.test(source)) continue;
    const firstError = problems.find(({ severity }) => severity === 'error');
    offered.push({
      file,
      name: pipeline?.name ?? file,
      description: pipeline?.description ?? '',
      parameters: pipeline?.parameters ?? {},
      problem: ok || !firstError ? null : `line ${firstError.line}: ${firstError.message}`,
      isOnEvents,
    });
  }
  return offered;
}
