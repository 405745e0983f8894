// Runs pipelines: polls connected folders and advances the jobs of their files. This happens once a second while a
// pipeline is active or has open jobs, and whenever pipelines are read.
import { GlobSet } from 'renderline/language/glob-set';
import type { Sandbox } from '../context/sandbox.ts';
import type { PipelineJobRecord, PipelineRecord } from '../state/pipeline-records.ts';
import { advancePipelineJob, countFailure, retryOrFail } from './advance-job.ts';
import { listFiles, StableFileTracker } from './folder.ts';
import { importFile } from './import-file.ts';
import { planOf } from './plan.ts';

const pollIntervalMs = 1_000;

export class PipelineRunner {
  readonly #connectors: Readonly<Record<string, string>>;
  readonly #stableFiles = new Map<string, StableFileTracker>();
  /** Jobs whose files are being copied. */
  readonly #importing = new Set<string>();
  #polling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param connectors Folders by connector name. */
  constructor(connectors: Readonly<Record<string, string>>) {
    this.#connectors = connectors;
  }

  /** Starts to poll if any folder is connected. */
  start(sandbox: Sandbox): void {
    if (Object.keys(this.#connectors).length === 0) return;
    this.#timer = setInterval(() => {
      if (!sandbox.store.pipelines.all.some((pipeline) => isPipelineBusy(sandbox, pipeline)))
        return;
      this.poll(sandbox).catch((error: unknown) => {
        console.error('The sandbox failed to poll its pipelines:', error);
      });
    }, pollIntervalMs);
    this.#timer.unref();
  }

  /** Imports new files and advances jobs. Concurrent calls share one poll. */
  poll(sandbox: Sandbox): Promise<void> {
    this.#polling ??= this.#poll(sandbox).finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
  }

  async #poll(sandbox: Sandbox): Promise<void> {
    const { store } = sandbox;
    for (const pipeline of store.pipelines.all) {
      if (pipeline.status === 'ACTIVE') await this.#importNewFiles(sandbox, pipeline);
      for (const job of openJobs(sandbox, pipeline)) this.#advance(sandbox, pipeline, job);
    }
    store.flush();
  }

  async #importNewFiles(sandbox: Sandbox, pipeline: PipelineRecord): Promise<void> {
    const { store, options } = sandbox;
    const { poll } = planOf(pipeline.nodes);
    const connector = poll?.connector ?? Object.keys(this.#connectors)[0];
    if (!poll || connector === undefined) return;
    const folder = this.#findFolder(connector);
    const files = folder === undefined ? undefined : await listFiles(folder).catch(() => undefined);
    const nowMs = options.clock();
    if (!files) return countFailure(sandbox, pipeline, nowMs);
    const jobVersions = new Set(jobsOf(sandbox, pipeline).map(versionOf));
    const patternSet = new GlobSet([poll.pattern ?? '**'], { style: 'path' });
    const newFacts = this.#trackerOf(pipeline)
      .stableFiles(files, nowMs)
      .map(({ modifiedAt, ...sourceFile }) => ({ sourceFile, modifiedAt, connector }))
      .filter(
        (file) => patternSet.hasMatch(file.sourceFile.path) && !jobVersions.has(versionOf(file)),
      );
    for (const facts of newFacts.slice(0, pipeline.batchSize)) {
      store.pipelineJobs.insert({
        id: store.newId('pipeline job'),
        pipelineId: pipeline.id,
        ...facts,
        retryCount: 0,
        renderOutputs: 0,
        createdAt: nowMs,
        updatedAt: nowMs,
      });
    }
  }

  #advance(sandbox: Sandbox, pipeline: PipelineRecord, job: PipelineJobRecord): void {
    const { store, options } = sandbox;
    const step = { sandbox, pipeline, job, nowMs: options.clock() };
    const model = store.models.get(job.modelId ?? '');
    if (this.#importing.has(job.id)) return;
    if (model?.file && model.confirmedAt !== undefined) return advancePipelineJob(step);
    if (job.modelId !== undefined && !model) return advancePipelineJob(step);
    const folder = this.#findFolder(job.connector);
    if (folder === undefined) {
      retryOrFail(step, `The connector ${job.connector} does not exist.`);
      return;
    }
    this.#importing.add(job.id);
    sandbox.background.run(async () => {
      try {
        await importFile(sandbox, job, folder);
      } catch (error) {
        // If the sandbox is stopping, the import is repeated at the next start.
        const reason = error instanceof Error ? error.message : String(error);
        if (!sandbox.stopSignal.aborted) retryOrFail({ ...step, nowMs: options.clock() }, reason);
      } finally {
        this.#importing.delete(job.id);
        store.flush();
      }
    });
  }

  #findFolder(connector: string): string | undefined {
    return Object.hasOwn(this.#connectors, connector) ? this.#connectors[connector] : undefined;
  }

  #trackerOf(pipeline: PipelineRecord): StableFileTracker {
    const tracker = this.#stableFiles.get(pipeline.id) ?? new StableFileTracker();
    this.#stableFiles.set(pipeline.id, tracker);
    return tracker;
  }
}

type Version = Pick<PipelineJobRecord, 'sourceFile' | 'modifiedAt' | 'connector'>;

/** Returns the key of one version of a file. */
function versionOf({ connector, sourceFile, modifiedAt }: Version): string {
  return JSON.stringify([connector, sourceFile.path, sourceFile.size, modifiedAt]);
}

export function jobsOf({ store }: Sandbox, pipeline: PipelineRecord): PipelineJobRecord[] {
  return store.pipelineJobs.all.filter(({ pipelineId }) => pipelineId === pipeline.id);
}

function openJobs(sandbox: Sandbox, pipeline: PipelineRecord): PipelineJobRecord[] {
  return jobsOf(sandbox, pipeline).filter(({ ended }) => ended === undefined);
}

function isPipelineBusy(sandbox: Sandbox, pipeline: PipelineRecord): boolean {
  return pipeline.status === 'ACTIVE' || openJobs(sandbox, pipeline).length > 0;
}
