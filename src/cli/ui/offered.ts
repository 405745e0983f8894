// The pipelines that the page offers: files below what the command was started for, with their parameters.
import { compileFile } from '../../compile/compile.ts';
import type { Parameter } from '../../compile/pipeline.ts';
import type { Environment } from '../../settings/environment.ts';
import { listFiles } from '../pipeline-files.ts';

export interface Offered {
  /** As it was named or found. Requests name it, and are refused for any other. */
  file: string;
  name: string;
  description: string;
  parameters: Readonly<Record<string, Parameter>>;
  /** First problem of a file that cannot run; null where there is none. */
  problem: string | null;
  /** It starts by itself on events of the platform. */
  isOnEvents: boolean;
}

/** Reads the files anew, so that a person may correct one and look again. @throws errors of the file system */
export async function offeredPipelines(
  paths: readonly string[],
  { cwd, environment }: { cwd: string; environment: Environment },
): Promise<Offered[]> {
  const files = await listFiles({ io: { cwd } }, paths);
  const offered: Offered[] = [];
  for (const { file } of files) {
    const { ok, pipeline, problems, source, isOnEvents } = await compileFile(file, {
      cwd,
      environment,
      parameters: null,
    });
    // Settings, tests of pipelines and whatever else lies there are YAML too.
    if (source === null || !/^nodes\s*:/m.test(source)) continue;
    const wrong = problems.find(({ severity }) => severity === 'error');
    offered.push({
      file,
      name: pipeline?.name ?? file,
      description: pipeline?.description ?? '',
      parameters: pipeline?.parameters ?? {},
      problem: ok || !wrong ? null : `line ${wrong.line}: ${wrong.message}`,
      isOnEvents,
    });
  }
  return offered;
}
