// A folder of pipelines with schedules, as `renderline apply` reads it.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ScheduleChange } from '../../src/app/apply/schedule-changes.ts';
import { runInProcess } from './_in-process.ts';
import { createPipelineFolder, type PipelineFolder } from './_runs.ts';
import type { CommandResult, Env } from './_stack.ts';

export function json<T>(finished: CommandResult, code = 0): T {
  expect(finished, finished.stderr + finished.stdout).toMatchObject({ code });
  return JSON.parse(finished.stdout) as T;
}

/** Each pipeline has its own location, named after the pipeline. */
export class Pipelines {
  static readonly #locations = new Map<string, PipelineFolder>();
  readonly folder: string;
  readonly #env: Env;

  constructor(folder: string, env: Env) {
    this.folder = folder;
    this.#env = env;
  }

  /** Writes a pipeline with a schedule; its models and pictures stay when it is written again. */
  async write(name: string, schedule: string[], more: string[] = []): Promise<PipelineFolder> {
    const known = Pipelines.#locations.get(name);
    // Test files share this module, and each deletes its folders when it ends.
    const exists = known !== undefined && existsSync(known.file);
    const location = exists ? known : await createPipelineFolder(name);
    Pipelines.#locations.set(name, location);
    const text = (await readFile(location.file, 'utf8')).replace('name: pictures', `name: ${name}`);
    const parameters = `parameters: { folder: ${location.folder}, out: ${location.out} }`;
    const lines = [...schedule, parameters].map((line) => `  ${line}`);
    await writeFile(
      join(this.folder, `${name}.yaml`),
      [text, ...more, 'schedule:', ...lines].join('\n'),
    );
    return location;
  }

  async apply(...flags: string[]): Promise<ScheduleChange[]> {
    const applied = await runInProcess(['apply', this.folder, '--json', ...flags], this.#env);
    return json<{ changes: ScheduleChange[] }>(applied).changes;
  }
}
