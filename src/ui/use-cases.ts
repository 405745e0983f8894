// The use cases behind the pages.
import { App } from '../app/app.ts';
import { previewApproval } from '../app/approvals/approval.ts';
import {
  approveOnPage,
  decideByName,
  listWaitingAssets,
  type NamedDecisions,
  type WholeApproval,
} from '../app/approvals/review.ts';
import { assertLinkUsable, useLink } from '../app/approvals/use-link.ts';
import { type OfferedChoices, readChoices } from '../app/choices/read-choices.ts';
import { listFailures } from '../app/failures/list-failures.ts';
import { listRecentFailures } from '../app/failures/list-recent-failures.ts';
import { planPipeline } from '../app/plan/plan-pipeline.ts';
import { formatPlanRemarks } from '../app/plan/plan-remarks.ts';
import { readRunReport } from '../app/report/read-run-report.ts';
import { RequestApp } from '../app/request-app.ts';
import { assertAtMostShown, previewRerun, startRerun } from '../app/rerun/rerun.ts';
import { previewRecentRerun, startRecentRerun } from '../app/rerun/rerun-recent.ts';
import { type Action, controlRun } from '../app/runs/control.ts';
import { listRuns } from '../app/runs/list-runs.ts';
import { type ShownRun, showRun } from '../app/runs/show-run.ts';
import { startPipeline } from '../app/runs/start-pipeline.ts';
import { type PipelineSummary, summarizePipelines } from '../app/validate/pipeline-files.ts';
import type { FinalizedAsset } from '../plan/contract/contract.ts';
import type { Rerun } from '../plan/run/rerun.ts';
import type { ShownRerun } from './rerun-page.ts';
import type { Visitor } from './visitor.ts';

/** Values of a pipeline's parameters, as a form sends them. */
export type FormValues = Readonly<Record<string, string>>;

/** Each function acts for one request, and throws the errors of its use case. */
export type UiUseCases = ReturnType<typeof createUseCases>;

/** Choices by the name of their parameter. */
export type Choices = Readonly<Record<string, OfferedChoices>>;

/** Time limit of a request. It is longer than any use case takes, because none of them waits for a run to finish. */
const maxMs = 120_000;
const maxRuns = 50;

/**
 * @param app contains the settings of all requests
 * @param stop aborts when the server stops
 * @param visitor the person on whose behalf the use cases act
 */
export function createUseCases(
  app: App,
  stop: AbortSignal,
  { name, link }: Pick<Visitor, 'name' | 'link'>,
) {
  const { settings } = app;
  const env = name === null ? settings.env : { ...settings.env, RENDERLINE_ACTOR: name };
  const parent = new App({ ...settings, env, via: 'ui' });
  function request<T>(
    task: (app: RequestApp) => Promise<T>,
    signal = AbortSignal.timeout(maxMs),
  ): Promise<T> {
    const app = new RequestApp(parent, signal);
    return app.complete(() => task(app));
  }
  return {
    /** Throws if the link was used, or if a page of an ended run is requested. @param isPage false for a picture */
    refuseEndedLink: (isPage: boolean) => assertLinkUsable(app, link, isPage),
    pipelines: (paths: readonly string[]) => request((app) => summarizePipelines(app, paths)),
    /**
     * Returns the choices for parameters. Uses the app of the server, so that all forms share the lists that were read.
     */
    choices: (parameters: PipelineSummary['parameters']): Promise<Choices> =>
      readChoices(app, parameters),
    plan: (file: string, parameters: FormValues) =>
      request(async (app) => {
        const planResult = await planPipeline(app, file, { parameters });
        for (const remark of formatPlanRemarks(planResult)) app.note(remark);
        return { plan: planResult.shape, notes: app.noteLines.join('\n') };
      }),
    /** @returns the run id, or null if there is nothing to do */
    start: (file: string, parameters: FormValues) =>
      request(async (app) => (await startPipeline(app, file, { parameters })).shape.run ?? null),
    list: () => request((app) => listRuns(app, { limit: maxRuns })),
    /** Returns the run, and the paths of all its files. */
    show: (
      run: string,
    ): Promise<
      Pick<ShownRun, 'shape' | 'destinations' | 'exports'> & { paths: ReadonlySet<string> }
    > =>
      request(async (app) => {
        const paths = new Set<string>();
        const onAsset = ({ files }: Pick<FinalizedAsset, 'files'>) => {
          for (const { path } of files) paths.add(path);
        };
        return { ...(await showRun(app, run, { onAsset })), paths };
      }),
    failures: (run: string) => request((app) => listFailures(app, run)),
    recentFailures: (since: string) => request((app) => listRecentFailures(app, { since })),
    previewRecentRerun: (since: string) =>
      request(async (app) => (await previewRecentRerun(app, { since })).shape),
    /** @param assets the number that the page showed. If there are more now, nothing is rerun. */
    rerunRecent: (since: string, assets: number) =>
      request(async (app) => {
        const preview = await previewRecentRerun(app, { since });
        assertAtMostShown(assets, preview.shape.assets);
        return startRecentRerun(app, preview);
      }),
    changedPictures: (run: string) =>
      request(async (app) => (await previewApproval(app, run)).shape.pictures),
    /** Renders the page of the report. @param link returns the address of a delivered file */
    report: (run: string, link: (path: string, delivery: string | undefined) => string) =>
      request(async (app) => {
        const { page } = await readRunReport(app, run);
        return page({ link, signal: app.signal });
        // There is no timeout, because the thumbnails of many pictures take a long time.
      }, stop),
    /**
     * Approves the first assets, or all changed pictures except the rejected ones. Returns earlier decisions of others.
     */
    approve: (run: string, approval: WholeApproval) =>
      request((app) => useLink(app, run, link, () => approveOnPage(app, run, approval))),
    /** Lists assets that wait for a decision and meet the condition. */
    waiting: (run: string, condition?: string) =>
      request((app) => listWaitingAssets(app, run, condition)),
    /** Sends decisions about assets. Returns decisions that somebody else made first. */
    decide: (run: string, decisions: NamedDecisions) =>
      request((app) => useLink(app, run, link, () => decideByName(app, run, decisions))),
    control: (action: Action, run: string): Promise<unknown> =>
      request((app) => controlRun(app, action, run)),
    /** Estimates a rerun of undelivered assets, or of failed ones if the run is open. @param plan see `rerun --with` */
    previewRerun: (run: string, plan: Rerun['plan'] | undefined): Promise<ShownRerun> =>
      request(async (app) => {
        const options = { with: plan, failed: 'while-open' } as const;
        const { shape, isEmpty } = await previewRerun(app, run, options);
        return { shape, isEmpty };
      }),
    /** @param shownWork what the page showed. If there are more assets now, nothing is rerun. @returns the new run */
    rerun: (run: string, shownWork: { plan: Rerun['plan'] | undefined; assets: number }) =>
      request(async (app) => {
        const { plan, assets } = shownWork;
        const preview = await previewRerun(app, run, { with: plan, failed: 'while-open' });
        assertAtMostShown(assets, preview.shape.preview?.assets ?? 0);
        return (await startRerun(app, preview)).shape.run;
      }),
  };
}
