// Lists the pipelines in files and folders, with their parameters.
import { compileFile } from '../../compile/compile.ts';
import type { Parameter } from '../../compile/pipeline.ts';
import type { App } from '../app.ts';
import { listFiles } from './pipeline-files.ts';

export interface ListedPipeline {
  /** Path as named or found. */
  file: string;
  name: string;
  description: string;
  parameters: Readonly<Record<string, Parameter>>;
  /** First error of a file that cannot run; null if it has none. */
  problem: string | null;
  /** Whether events of the platform start the pipeline. */
  isOnEvents: boolean;
}

/** Reads the files at every call, so that corrections show. @throws errors of the file system */
export async function listPipelines(app: App, paths: readonly string[]): Promise<ListedPipeline[]> {
  const listed: ListedPipeline[] = [];
  for (const { file } of await listFiles(app, paths)) {
    const { ok, pipeline, problems, source, isOnEvents } = await compileFile(file, {
      cwd: app.cwd,
      environment: app.env,
      parameters: null,
    });
    // The folder may contain other YAML files, such as settings and tests.
    if (source === null || !/^nodes\s*:/m.test(source)) continue;
    const firstError = problems.find(({ severity }) => severity === 'error');
    listed.push({
      file,
      name: pipeline?.name ?? file,
      description: pipeline?.description ?? '',
      parameters: pipeline?.parameters ?? {},
      problem: ok || !firstError ? null : `line ${firstError.line}: ${firstError.message}`,
      isOnEvents,
    });
  }
  return listed;
}
