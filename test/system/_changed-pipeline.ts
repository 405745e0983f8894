// Changes a pipeline and runs it again: compares what `plan` announces with what the platform does.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runInProcess } from './_in-process.ts';
import {
  createdBetween,
  type PipelineFolder,
  type ProductInUse,
  type RunReport,
  reportOf,
  runArguments,
} from './_runs.ts';
import type { CommandResult } from './_stack.ts';

export interface Planned {
  assets: Record<string, number>;
  renders: number;
  files: { total: number; min: boolean };
  requests: { total: number; byOperation: Record<string, number> };
  startPoints: { startStage: string; assets: number; olderThan?: string }[];
}

/** Commands on a pipeline that changes. */
export interface ChangedPipeline {
  command: (args: string[]) => Promise<CommandResult>;
  runToEnd: (place: PipelineFolder, code?: number, ...more: string[]) => Promise<RunReport>;
  planned: (place: PipelineFolder) => Promise<Planned>;
  /** The resources that were created on the platform while `work` ran. */
  createdDuring: <T>(
    work: () => Promise<T>,
  ) => Promise<{ result: T; booked: Record<string, number> }>;
}

export function useChangedPipeline(product: ProductInUse): ChangedPipeline {
  const command = (args: string[]) => runInProcess(args, product.env);
  return {
    command,
    async runToEnd(place, code = 0, ...more) {
      return reportOf(await command(runArguments(place, '--wait', '--json', ...more)), code);
    },
    async planned(place) {
      const [, ...given] = runArguments(place);
      const { stdout, stderr, code } = await command(['plan', ...given, '--json']);
      expect(code, stderr + stdout).toBe(0);
      return JSON.parse(stdout) as Planned;
    },
    async createdDuring(work) {
      const before = await product.sandbox.stats();
      const result = await work();
      const { renderJobs: renders, ...made } = createdBetween(
        before,
        await product.sandbox.stats(),
      );
      return { result, booked: { ...made, renders } };
    },
  };
}

export const nothing = { models: 0, projects: 0, renders: 0 };

export async function change(place: PipelineFolder, edit: (text: string) => string): Promise<void> {
  const text = await readFile(place.file, 'utf8');
  const edited = edit(text);
  expect(edited).not.toBe(text);
  await writeFile(place.file, edited);
}

/** Names of the delivered files below a folder, with slashes. */
export async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.renderline'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
