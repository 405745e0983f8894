// `renderline demo`: runs a whole pipeline on this machine, from sample models to pictures.
import { join, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { App } from '../../app/app.ts';
import { CleanupStack } from '../../app/cleanup-stack.ts';
import { compilePipeline } from '../../app/compile-pipeline.ts';
import { untilAborted } from '../../app/interrupts.ts';
import { type DemoFolder, prepareDemoFolder } from '../../app/local/demo-folder.ts';
import { createMaterials } from '../../app/local/demo-materials.ts';
import { type DemoSheet, writeDemoSheet } from '../../app/local/demo-sheet.ts';
import { loadSandbox } from '../../app/local/load-sandbox.ts';
import { type LocalServices, startLocalServices } from '../../app/local/local-services.ts';
import { packageRoot } from '../../app/package-root.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { waitForRun } from '../../app/runs/follow-run.ts';
import { exitCodeOfRun, type RunReport } from '../../app/runs/run-report.ts';
import { startRun } from '../../app/runs/start-run.ts';
import { runPageUrl, withTemporal } from '../../app/temporal-client.ts';
import { commandFailures } from '../../failures/commands.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { chooseTemporal } from '../../temporal/server/find-server.ts';
import { numberParser } from '../params.ts';
import { followOptions } from '../runs/progress.ts';
import { summarizeRun } from '../runs/run-summary.ts';
import type { Session } from '../session.ts';

/** Bundled pipelines of the demo. */
const pipelines = { catalogue: 'catalog.yaml', colorways: 'colorway-grid.yaml' };

export function declareDemo(command: Command, session: Session): void {
  command
    .option('--out <dir>', 'folder for models and pictures', 'renderline-demo')
    .option('--colorways', 'show a grid of colorways instead: pipelines/colorway-grid.yaml')
    .option('--keep', 'keep everything running until Ctrl-C')
    .option('--speed <x>', 'sandbox: speed-up factor of processing', numberParser('--speed'), 2)
    .action(
      session.action(async ({ out, keep, speed, colorways = false }) => {
        const stop = session.io.interrupts.handleFirst();
        const cleanup = new CleanupStack((text) => session.output.note(text));
        try {
          const { makeCatalogue } = await loadSandbox();
          const folder = await prepareDemoFolder(resolve(session.io.cwd, out));
          const models = await makeCatalogue(folder.models);
          session.output.note(
            `Catalogue: ${formatCount(models.length, 'model')} in ${folder.models}`,
          );
          const services = await startLocalServices(session, cleanup, {
            data: null,
            sandbox: { speed },
            // A separate task queue, so that workers of the real platform do not take the demo's tasks.
            taskQueue: `renderline-demo-${process.pid}`,
            graceMs: 2_000,
            stop,
          });
          const { report, temporalUi, sheet } = await Promise.race([
            runDemo(session, services, { folder, colorways }, stop),
            services.broken,
          ]);
          const shape = {
            ...report.shape,
            temporalUi,
            sandbox: services.sandboxPage,
            contactSheet: sheet,
          };
          const uiLines = formatTemporalUi(session, temporalUi, keep === true);
          session.output.result(shape, () =>
            [...formatDemo(session, report, folder, sheet), ...uiLines].join('\n'),
          );
          if (keep === true) {
            session.output.note(formatKeptServices(services, temporalUi));
            await Promise.race([untilAborted(stop), services.broken]);
          }
          return exitCodeOfRun(report);
        } finally {
          await cleanup.stopAll();
        }
      }),
    );
}

/** Does the same as `renderline run --wait` with the demo's services. */
async function runDemo(
  session: Session,
  services: LocalServices,
  { folder, colorways }: { folder: DemoFolder; colorways: boolean },
  stop: AbortSignal,
): Promise<{ report: RunReport; temporalUi: string | null; sheet: DemoSheet }> {
  const { io, output, signal } = session;
  const { cwd, now } = io;
  const onNote = (text: string) => output.note(text);
  const inside = new App({ env: services.env, cwd, now, logStream: io.stderr, onNote, signal });
  const shown = colorways ? pipelines.colorways : pipelines.catalogue;
  const file = join(packageRoot(), 'pipelines', shown);
  if (colorways) await createMaterials(inside);
  const { plan } = await compilePipeline(inside, file, {
    folder: folder.models,
    out: folder.pictures,
  });
  const { report, temporalUi } = await withTemporal(inside, async (temporal) => {
    const run = await startRun(temporal, plan, services.taskQueue, inside.now(), {
      path: file,
    });
    const temporalUi = await runPageUrl(inside, temporal.namespace, run);
    output.note(`Run ${run}${temporalUi === null ? '' : `: ${temporalUi}`}`);
    const report = await waitForRun(inside, temporal.client, run, followOptions(session));
    return { report, temporalUi };
  }).catch((error: unknown) => {
    // The services stop with the demo, so an interrupted run does not continue.
    if (stop.aborted) {
      throw new RenderlineError(
        commandFailures.INTERRUPTED,
        'Interrupted. The run ended with its services.',
        {
          fix: `Finished pictures are in ${folder.pictures}. Start again: renderline demo`,
        },
      );
    }
    throw error;
  });
  return { report, temporalUi, sheet: await writeDemoSheet(inside, { plan, folder, report }) };
}

function formatDemo(
  session: Session,
  report: RunReport,
  folder: DemoFolder,
  sheet: DemoSheet,
): string[] {
  return [
    summarizeRun(report.shape, session.output.paint),
    '',
    `Pictures:       ${folder.pictures}`,
    `Contact sheet:  ${sheet.html}`,
    `                ${sheet.png}`,
  ];
}

/** Shows the run's page in the Temporal UI, unless the UI stops with the demo. */
function formatTemporalUi(session: Session, temporalUi: string | null, isKept: boolean): string[] {
  if (temporalUi === null || isKept) return [];
  const staysUp = chooseTemporal(session.io.env).kind === 'existing';
  return [
    staysUp
      ? `Temporal UI:    ${temporalUi}`
      : 'Temporal UI:    stopped with the demo; --keep keeps it running',
  ];
}

function formatKeptServices(services: LocalServices, temporalUi: string | null): string {
  return [
    ...(temporalUi === null ? [] : [`Run in the Temporal UI:   ${temporalUi}`]),
    `Pictures of the sandbox:  ${services.sandboxPage}`,
    'Ctrl-C stops everything.',
  ].join('\n');
}
