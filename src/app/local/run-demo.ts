// Runs a bundled pipeline on this machine, from sample models to pictures and a contact sheet.

import { existsSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitForAbort } from '../../api/abort.ts';
import { createFolder } from '../../disk/create-folder.ts';
import { commandFailures } from '../../failures/commands.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { chooseTemporal } from '../../temporal/server/find-server.ts';
import { App } from '../app.ts';
import { CleanupStack } from '../cleanup-stack.ts';
import { compilePipeline } from '../compile-pipeline.ts';
import { findPackageRoot } from '../find-package-root.ts';
import { withPlatform } from '../platform-client.ts';
import { RenderlineError } from '../renderline-error.ts';
import { type FollowOptions, waitForRun } from '../runs/follow-run.ts';
import type { RunDetails } from '../runs/run-details.ts';
import { startRun } from '../runs/start-run.ts';
import { runPageUrl, withTemporal } from '../temporal-client.ts';
import { type DemoSheet, writeDemoSheet } from './demo-sheet.ts';
import { loadSandbox } from './load-sandbox.ts';
import { type LocalServices, startLocalServices } from './local-services.ts';

/** The material library of `--colorways`, with one material for each name in the demo's table. */
const materials = [
  { name: 'Oak', pantoneCode: '7509 C', hex: '#c9a26b' },
  { name: 'Walnut', pantoneCode: '7589 C', hex: '#5c4033' },
  { name: 'Linen', pantoneCode: '7527 C', hex: '#ddd5c4' },
  { name: 'Navy', pantoneCode: '2767 C', hex: '#13294b' },
  { name: 'Moss', pantoneCode: '5757 C', hex: '#6b7340' },
] as const;

export interface DemoOptions {
  /** Absolute folder for models and pictures. */
  folder: string;
  /** Run a grid of colorways instead of a catalog. */
  colorways: boolean;
  /** Speed-up factor of the sandbox. */
  speed: number;
  /** Keep the services running until `stop` aborts. */
  keep: boolean;
}

export interface DemoResult {
  shape: RunDetails['shape'] & {
    temporalUi: string | null;
    sandbox: string;
    contactSheet: DemoSheet;
  };
  report: RunDetails;
  pictures: string;
  /** True if the Temporal server, including its UI, keeps running after the demo. */
  isTemporalKept: boolean;
}

interface DemoCalls {
  stop: AbortSignal;
  follow: () => FollowOptions;
  /** Called when the run has ended and the contact sheet has been written, before the services are stopped. */
  onFinished: (result: DemoResult) => Promise<void>;
}

/**
 * Starts the services, runs the pipeline, and stops the services.
 * @throws RenderlineError FOLDER_IN_USE, INTERRUPTED; errors of the services and of the run
 */
export async function runDemo(
  app: App,
  { folder: out, colorways, speed, keep }: DemoOptions,
  calls: DemoCalls,
): Promise<DemoResult> {
  const { stop, onFinished } = calls;
  const cleanup = new CleanupStack((text) => app.note(text));
  try {
    const { writeCatalog } = await loadSandbox();
    const folder = await prepareDemoFolder(out);
    const models = await writeCatalog(folder.models);
    app.note(`Catalog: ${formatCount(models.length, 'model')} in ${folder.models}`);
    const services = await startLocalServices(app, cleanup, {
      data: null,
      sandbox: { speed },
      // A separate task queue prevents workers of the real platform from taking the demo's tasks.
      taskQueue: `renderline-demo-${process.pid}`,
      graceMs: 2_000,
      stop,
    });
    const { report, temporalUi, contactSheet } = await Promise.race([
      runOnServices(app, services, { folder, colorways }, calls),
      services.broken,
    ]);
    const result = {
      shape: { ...report.shape, temporalUi, sandbox: services.sandboxPage, contactSheet },
      report,
      pictures: folder.pictures,
      isTemporalKept: chooseTemporal(app.env).kind === 'existing',
    };
    await onFinished(result);
    if (keep) await Promise.race([waitForAbort(stop), services.broken]);
    return result;
  } finally {
    await cleanup.stopAll();
  }
}

/** Runs the pipeline as `renderline run --wait` does, using the demo's services, and writes the contact sheet. */
async function runOnServices(
  app: App,
  services: LocalServices,
  { folder, colorways }: { folder: DemoFolder; colorways: boolean },
  { stop, follow }: DemoCalls,
) {
  const { cwd, now, logStream, signal } = app;
  const onNote = (text: string) => app.note(text);
  const inside = new App({ env: services.env, cwd, now, logStream, onNote, signal });
  const file = join(findPackageRoot(), 'pipelines', colorways ? 'season.yaml' : 'catalog.yaml');
  if (colorways) await createMaterials(inside);
  const parameters = { folder: folder.models, out: folder.pictures };
  const { plan } = await compilePipeline(inside, file, parameters);
  const { report, temporalUi } = await withTemporal(inside, async (temporal) => {
    const run = await startRun(temporal, plan, services.taskQueue, inside.now(), { path: file });
    const temporalUi = await runPageUrl(inside, temporal.namespace, run);
    app.note(`Run ${run}${temporalUi === null ? '' : `: ${temporalUi}`}`);
    return { report: await waitForRun(inside, temporal.client, run, follow()), temporalUi };
  }).catch((error: unknown) => {
    if (!stop.aborted) throw error;
    // The services stop with the demo, so an interrupted run does not continue.
    throw new RenderlineError(
      commandFailures.INTERRUPTED,
      'Interrupted. The run ended when its services stopped.',
      { fix: `Finished pictures are in ${folder.pictures}. To start again: renderline demo` },
    );
  });
  const contactSheet = await writeDemoSheet(inside, { plan, folder, report });
  return { report, temporalUi, contactSheet };
}

async function createMaterials(app: App): Promise<void> {
  await withPlatform(app, async (client) => {
    for (const body of materials) await client.createPantoneMaterial({ body });
  });
}

interface DemoFolder {
  folder: string;
  models: string;
  pictures: string;
}

/** File that marks a folder as created by `demo`, so that the next demo may empty it. */
const mark = '.renderline-demo';

/** Creates the folder, or empties that of an earlier demo. @throws RenderlineError for a folder with other files */
export async function prepareDemoFolder(folder: string): Promise<DemoFolder> {
  const isOurs = existsSync(join(folder, mark));
  if (!isOurs && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new RenderlineError(
      commandFailures.FOLDER_IN_USE,
      `${folder} contains other files, which the demo would mix with its own files.`,
    );
  }
  const models = join(folder, 'models');
  const pictures = join(folder, 'pictures');
  for (const part of [models, pictures]) {
    await rm(part, { recursive: true, force: true });
    await createFolder(part);
  }
  const text = 'Created by `renderline demo`, which empties it each time.\n';
  await writeFile(join(folder, mark), text);
  return { folder, models, pictures };
}
