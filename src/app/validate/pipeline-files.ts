import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { compileFile } from '../../compile/compile.ts';
import type { Parameter } from '../../compile/pipeline.ts';
import type { Problem } from '../../compile/yaml/problem.ts';
import { readPipelineFile } from '../../compile/yaml/read-file.ts';
import { assertPathAllowed, type FolderBounds } from '../allowed-folders.ts';
import type { App } from '../app.ts';

export interface NamedFile {
  /** Path as given on the command line, or as found below a given folder. */
  file: string;
  /** True if the file itself was given, as opposed to its folder. */
  isNamed: boolean;
}

const yamlFile = /\.ya?ml$/i;
/** Hidden folders and folders of dependencies contain no pipelines of this project. */
const ignoredFolder = /^(\.|node_modules$)/;
/** Distinguishes pipelines from other YAML files, such as compose files. */
const nodesKey = /^["']?nodes["']?\s*:/m;
/** Settings files, tests of pipelines, and shared parts. */
const otherFile = /^renderline\.ya?ml$|\.(?:test|shared)\.ya?ml$/i;

/**
 * Lists the given files and the YAML files of each given folder by name, without duplicates. Settings, tests and shared
 * parts are skipped even if given, because a shell expands `*.yaml` to them too. If nothing else is found, the given
 * ones are returned.
 * @param options `includesSubfolders`: also searches subfolders, and skips YAML files of folders without `nodes:`
 */
export async function listFiles(
  app: FolderBounds,
  paths: readonly string[],
  { deep: includesSubfolders = false } = {},
): Promise<NamedFile[]> {
  const { cwd } = app;
  const files: NamedFile[] = [];
  for (const path of paths) {
    await assertPathAllowed(app, path);
    const stats = await stat(resolve(cwd, path)).catch((error: unknown) => {
      // The error is ignored, because a deep listing reports an unreadable path later, when it reads the file.
      if (includesSubfolders) return null;
      throw error;
    });
    if (!stats?.isDirectory()) files.push({ file: path, isNamed: true });
    else {
      const found = await listYamlFiles(app, path, includesSubfolders);
      files.push(...found.map((file) => ({ file, isNamed: false })));
    }
  }
  const pipelines = files.filter(({ file }) => !otherFile.test(basename(file)));
  const onlyNamed = files.filter(({ isNamed }) => isNamed);
  const seenPaths = new Set<string>();
  return (pipelines.length > 0 ? pipelines : onlyNamed).filter(({ file }) => {
    const absolute = resolve(cwd, file);
    return !seenPaths.has(absolute) && seenPaths.add(absolute);
  });
}

async function listYamlFiles(app: FolderBounds, folder: string, deep: boolean): Promise<string[]> {
  const { cwd } = app;
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (deep && !ignoredFolder.test(entry.name))
        files.push(...(await listYamlFiles(app, path, deep)));
    } else if (yamlFile.test(entry.name)) {
      await assertPathAllowed(app, path);
      if (!deep || (await isPipelineFile(resolve(cwd, path)))) files.push(path);
    }
  }
  return files;
}

async function isPipelineFile(path: string): Promise<boolean> {
  const fileText = await readPipelineFile(path, path);
  return !fileText.ok || nodesKey.test(fileText.text);
}

/** Summary of a pipeline, for lists that let a person choose one. */
export interface PipelineSummary {
  file: string;
  name: string;
  description: string;
  parameters: Readonly<Record<string, Parameter>>;
  /** First error of a file that cannot run. Null if there is none. */
  problem: string | null;
  /** True if events of the platform start the pipeline. */
  isOnEvents: boolean;
}

/** Reads the pipelines in files and folders. @throws errors of the file system */
export async function summarizePipelines(
  app: App,
  paths: readonly string[],
): Promise<PipelineSummary[]> {
  const summaries: PipelineSummary[] = [];
  const settings = await app.compileSettings();
  for (const { file } of await listFiles(app, paths)) {
    const checkedFile = await compileFile(file, { ...settings, parameters: null });
    const { ok, pipeline, problems, source, isOnEvents } = checkedFile;
    // The file is skipped, because the folder may contain other YAML files, such as settings and tests.
    if (source === null || !nodesKey.test(source)) continue;
    const firstError = problems.find(({ severity }) => severity === 'error');
    summaries.push({
      file,
      name: pipeline?.name ?? file,
      description: pipeline?.description ?? '',
      parameters: pipeline?.parameters ?? {},
      problem: ok || !firstError ? null : formatProblem(firstError),
      isOnEvents,
    });
  }
  return summaries;
}

function formatProblem({ file, line, includedBy, message }: Problem): string {
  return `${includedBy === undefined ? '' : `${file}, `}line ${line}: ${message}`;
}
