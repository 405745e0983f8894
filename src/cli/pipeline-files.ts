// Finds the pipeline files that a person names: files, and folders with files in them.
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { readPipelineFile } from '../compile/yaml/read-file.ts';
import { refuseOutside } from './inside-folders.ts';
import type { Io } from './io.ts';

export interface NamedFile {
  /** Path as the person named it, or found below the folder that they named. */
  file: string;
  /** The person named the file itself. */
  isNamed: boolean;
}

const isYaml = /\.ya?ml$/i;
/** Never written by hand, or not of this project. */
const passedOver = /^(\.|node_modules$)/;
/** A folder may have other YAML, such as a compose file. */
const hasNodes = /^["']?nodes["']?\s*:/m;
/** Settings, and tests of pipelines. */
const isBeside = /^renderline\.ya?ml$|\.test\.ya?ml$/i;

/**
 * The YAML files of folders, sorted by name, and the named files, each once. Settings and tests are left out, also where a
 * shell names them for `*.yaml`, unless nothing else is named.
 * @param deep also of folders below, and then pipelines alone: what has no `nodes:` is left out
 */
export async function listFiles(
  { io }: { io: Pick<Io, 'cwd' | 'folders'> },
  paths: readonly string[],
  { deep = false } = {},
): Promise<NamedFile[]> {
  const { cwd } = io;
  const files: NamedFile[] = [];
  for (const path of paths) {
    await refuseOutside(io, path);
    const isFolder = await stat(resolve(cwd, path)).then(
      (found) => found.isDirectory(),
      // What cannot be read is told of when it is.
      (error: unknown) => {
        if (deep) return false;
        throw error;
      },
    );
    if (!isFolder) files.push({ file: path, isNamed: true });
    else {
      for (const file of await yamlBelow(io, path, deep)) files.push({ file, isNamed: false });
    }
  }
  const pipelines = files.filter(({ file }) => !isBeside.test(basename(file)));
  const onlyNamed = files.filter(({ isNamed }) => isNamed);
  const seen = new Set<string>();
  return (pipelines.length > 0 ? pipelines : onlyNamed).filter(({ file }) => {
    const absolute = resolve(cwd, file);
    return !seen.has(absolute) && seen.add(absolute);
  });
}

async function yamlBelow(
  io: Pick<Io, 'cwd' | 'folders'>,
  folder: string,
  deep: boolean,
): Promise<string[]> {
  const { cwd } = io;
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (deep && !passedOver.test(entry.name)) files.push(...(await yamlBelow(io, path, deep)));
    } else if (isYaml.test(entry.name)) {
      await refuseOutside(io, path);
      if (!deep || (await isPipeline(resolve(cwd, path)))) files.push(path);
    }
  }
  return files;
}

async function isPipeline(path: string): Promise<boolean> {
  const read = await readPipelineFile(path, path);
  return !read.ok || hasNodes.test(read.text);
}
