// A pipeline that makes one picture of each model, and helpers to run it as a person or a scheduler does.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect } from 'vitest';
import { type InProcessCommand, startInProcess, startWorkerInProcess } from './_in-process.ts';
import { fastSandbox, type SandboxInUse, type SandboxStats, startSandbox } from './_sandbox.ts';
import {
  type CommandResult,
  type Env,
  type RunningCommand,
  type Stoppable,
  tempFolder,
} from './_stack.ts';

/** `renderline/run/v1`, as documented in docs/commands.md. */
export interface RunReport {
  schema: string;
  run: string;
  pipeline: string;
  outcome: string;
  destination: string;
  discovered: boolean;
  assets: Record<'total' | 'complete' | 'failed' | 'skipped' | 'unchanged' | 'cancelled', number>;
  files: Picture[];
  deleted: { key: string; kind: string; id: string }[];
  failures: { key: string; node: string; code: string; message: string; attempts: number }[];
  warnings: { key: string; message: string }[];
  requests: { total: number; byOperation: Record<string, number> };
  paid: PaidReport;
  historyEvents: number;
  seconds: number;
}

type PaidCounts = Record<'renders' | 'models' | 'captures', number>;

interface PaidReport extends PaidCounts {
  failedRenders: number;
  possibleDuplicates: PaidCounts;
}

export interface Picture {
  key: string;
  path: string;
  bytes: number;
  sha256: string;
  width: number;
  height: number;
}

/** `renderline/error/v1` */
export interface ErrorReport {
  schema: string;
  code: string;
  message: string;
  fix: string;
  run?: string;
}

export interface PipelineFolder {
  root: string;
  /** Folder of the models. */
  folder: string;
  /** Folder of the pictures. */
  out: string;
  file: string;
}

export const pictureSize = { width: 64, height: 36 };

export interface PipelineOptions {
  settings?: Record<string, unknown>;
  maxRetries?: number;
  batchSize?: number;
  /** How long one asset may take to be rendered. */
  renderTimeout?: string;
  supersede?: 'keep' | 'delete-after-success';
}

/** Creates a folder for models, one for pictures, and a pipeline file from one to the other. */
export async function createPipelineFolder(
  name: string,
  options: PipelineOptions = {},
): Promise<PipelineFolder> {
  const root = await tempFolder(name);
  const place = {
    root,
    folder: join(root, 'models'),
    out: join(root, 'pictures'),
    file: join(root, 'pictures.yaml'),
  };
  await mkdir(place.folder);
  await writePipeline(place, options);
  return place;
}

/** The first nodes of a pipeline: models of the connector `models`, up to the node `look`, which has their template. */
export const nodesToTemplate = `nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 500ms } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }
`;

export async function writePipeline(
  place: PipelineFolder,
  options: PipelineOptions = {},
): Promise<void> {
  const { settings = {}, maxRetries = 2, batchSize = 50, renderTimeout = '6h' } = options;
  const { supersede = 'keep' } = options;
  const small = {
    renderShots: false,
    renderVariants: false,
    imageCustomResolution: true,
    imageCustomWidth: pictureSize.width,
    imageCustomHeight: pictureSize.height,
    ...settings,
  };
  // JSON is valid YAML and writes the settings exactly.
  await writeFile(
    place.file,
    `name: pictures
maxRetries: ${maxRetries}
batchSize: ${batchSize}
supersede: ${supersede}
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
${nodesToTemplate}  - id: shots
    type: render
    parentIds: [look]
    timeout: ${renderTimeout}
    config: { settings: ${JSON.stringify(small)} }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`,
  );
}

export interface ProductInUse<Worker = InProcessCommand> {
  readonly sandbox: SandboxInUse;
  /** Environment that connects the parts: Temporal's address, the platform's address and key, a task queue. */
  readonly env: Env;
  readonly worker: Worker;
}

let queues = 0;

/** A sandbox and a worker in this process, with their own task queue, for the tests of a file. */
export function useProduct(
  temporal: { readonly env: Env },
  sandboxFlags: string[] = fastSandbox,
): ProductInUse {
  return useProductWith(temporal, sandboxFlags, startWorkerInProcess);
}

/** Like `useProduct`, with a worker that `startWorker` starts. */
export function useProductWith<Worker extends Stoppable>(
  temporal: { readonly env: Env },
  sandboxFlags: string[],
  startWorker: (env: Env) => Promise<Worker>,
): ProductInUse<Worker> {
  let product: { sandbox: SandboxInUse; env: Env; worker: Worker } | undefined;
  beforeAll(async () => {
    const sandbox = await startSandbox(sandboxFlags);
    const env = joined(temporal.env, sandbox.env);
    product = { sandbox, env, worker: await startWorker(env) };
  });
  afterAll(async () => {
    await product?.worker.stop();
    await product?.sandbox.stop();
  });
  const inUse = () => {
    if (!product) throw new Error('the product runs only inside tests and hooks');
    return product;
  };
  return {
    get sandbox() {
      return inUse().sandbox;
    },
    get env() {
      return inUse().env;
    },
    get worker() {
      return inUse().worker;
    },
  };
}

/** The merged environment, with a task queue of its own. */
export function joined(...environments: Env[]): Env {
  queues += 1;
  return Object.assign({}, ...environments, {
    RENDERLINE_TASK_QUEUE: `test-${process.pid}-${queues}`,
  }) as Env;
}

export function runArguments(place: PipelineFolder, ...more: string[]): string[] {
  const { file, folder, out } = place;
  return ['run', file, '--param', `folder=${folder}`, '--param', `out=${out}`, ...more];
}

/** Starts `run --wait --json`. */
export function startRun(place: PipelineFolder, env: Env): RunningCommand {
  return startInProcess(runArguments(place, '--wait', '--json'), env);
}

/** The run id that `run --wait` prints after the start. */
export async function runIdOf(running: RunningCommand): Promise<string> {
  const line = await running.waitForOutput(/^Run \S+\s/m);
  return /^Run (\S+?):?\s/m.exec(line)?.[1] ?? '';
}

/** Runs `run --wait --json` until it ends; fails the test if the exit code is not `code`. */
export async function runToEnd(place: PipelineFolder, env: Env, code = 0): Promise<RunReport> {
  return reportOf(await startRun(place, env).finished, code);
}

/** The JSON object on stdout of a command that must have exited with `code`. */
export function reportOf(finished: CommandResult, code = 0): RunReport {
  expect(finished, formatOutput(finished)).toMatchObject({ code });
  return JSON.parse(finished.stdout) as RunReport;
}

/** Puts the failures of assets first, since only the beginning of a long message is shown. */
function formatOutput({ stdout, stderr }: CommandResult): string {
  const failures = /"failures":\[.{0,1500}/.exec(stdout)?.[0] ?? '';
  return `${failures}\n${stderr}${stdout}`;
}

export function errorOf(finished: CommandResult, code: number): ErrorReport {
  expect(finished, finished.stderr + finished.stdout).toMatchObject({ code });
  return JSON.parse(finished.stdout) as ErrorReport;
}

/** Fails unless each picture exists with this size and with the hash and length of the report. */
export async function expectPictures(
  report: RunReport,
  keys: readonly string[],
  size = pictureSize,
): Promise<void> {
  expect(report.files.map(({ key }) => key).sort()).toEqual([...keys].sort());
  for (const picture of report.files) {
    const bytes = await readFile(join(report.destination, picture.path));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(picture).toMatchObject({ bytes: bytes.length, sha256, ...size });
    expect(await sharp(bytes).metadata()).toMatchObject(size);
  }
}

/** Requests of a run without the list of templates, which a worker reads again when its copy is a minute old. */
export function requestsBesideTemplates({ requests }: RunReport): Record<string, number> {
  const { listTemplates: _, ...others } = requests.byOperation;
  return others;
}

/** The difference between two statistics of the platform. */
export function createdBetween(
  { created: before }: SandboxStats,
  { created: after }: SandboxStats,
) {
  return {
    models: after.models - before.models,
    projects: after.projects - before.projects,
    renderJobs: after.renderJobs - before.renderJobs,
  };
}

/** Fails unless each file became exactly one model, one project and one render job. */
export function expectOnce(
  before: Awaited<ReturnType<SandboxInUse['stats']>>,
  after: Awaited<ReturnType<SandboxInUse['stats']>>,
  fileNames: readonly string[],
): void {
  const count = fileNames.length;
  expect(createdBetween(before, after)).toEqual({
    models: count,
    projects: count,
    renderJobs: count,
  });
  // Models that are created one by one are counted under their keys.
  const times = (name: string) =>
    after.fileNames[name] ?? after.fileNames[name.replace(/\.glb$/, '')];
  for (const name of fileNames) expect([name, times(name)]).toEqual([name, 1]);
}
