// The use cases behind the pages.
import { App } from '../app/app.ts';
import { type OfferedChoices, readChoices } from '../app/choices/read-choices.ts';
import { type FailuresShape, listFailures } from '../app/failures/list-failures.ts';
import { listRecentFailures, type RecentFailures } from '../app/failures/list-recent-failures.ts';
import { type PlanShape, planPipeline } from '../app/plan/plan-pipeline.ts';
import { formatPlanRemarks } from '../app/plan/plan-remarks.ts';
import { readRunReport } from '../app/report/read-run-report.ts';
import { RequestApp } from '../app/request-app.ts';
import {
  previewRecentRerun,
  type RecentRerunShape,
  startRecentRerun,
} from '../app/rerun/rerun-recent.ts';
import { type ApprovalShape, approve, previewApproval } from '../app/runs/approval.ts';
import { type Action, controlRun } from '../app/runs/control.ts';
import { listRuns, type RunsList } from '../app/runs/list-runs.ts';
import { type ShownRun, showRun } from '../app/runs/show-run.ts';
import { startPipeline } from '../app/runs/start-pipeline.ts';
import { type PipelineSummary, summarizePipelines } from '../app/validate/pipeline-files.ts';

/** Values of a pipeline's parameters, as a form sends them. */
export type FormValues = Readonly<Record<string, string>>;

/** Choices by the name of their parameter. */
export type Choices = Readonly<Record<string, OfferedChoices>>;

/** Each function acts for one request, and throws the errors of its use case. */
export interface UiUseCases {
  pipelines: (paths: readonly string[]) => Promise<PipelineSummary[]>;
  /** What can be chosen for parameters. */
  choices: (parameters: PipelineSummary['parameters']) => Promise<Choices>;
  plan: (file: string, parameters: FormValues) => Promise<{ plan: PlanShape; notes: string }>;
  /** @returns the run id; null if there is nothing to do */
  start: (file: string, parameters: FormValues) => Promise<string | null>;
  list: () => Promise<RunsList>;
  show: (run: string) => Promise<Pick<ShownRun, 'shape' | 'destination'>>;
  failures: (run: string) => Promise<FailuresShape>;
  /** Failures of all runs since a time, and what a rerun of their assets would take. */
  recentFailures: (since: string) => Promise<RecentFailures>;
  previewRecentRerun: (since: string) => Promise<RecentRerunShape>;
  rerunRecent: (since: string) => Promise<RecentRerunShape>;
  /** Pictures that changed much and wait for approval. */
  changedPictures: (run: string) => Promise<ApprovalShape['pictures']>;
  /** The page of the report. @param link returns the address of a delivered file */
  report: (run: string, link: (path: string) => string) => Promise<string>;
  approve: (run: string) => Promise<void>;
  control: (action: Action, run: string) => Promise<void>;
}

/** Longer than any use case takes that does not wait for a run. */
const maxMs = 120_000;
const maxRuns = 50;

/**
 * @param app has the settings of all requests
 * @param stop aborts when the server stops
 */
export function createUseCases({ settings }: App, stop: AbortSignal): UiUseCases {
  const parent = new App({ ...settings, via: 'ui' });
  function request<T>(
    work: (app: RequestApp) => Promise<T>,
    signal = AbortSignal.timeout(maxMs),
  ): Promise<T> {
    const app = new RequestApp(parent, signal);
    return app.complete(() => work(app));
  }
  return {
    pipelines: (paths) => request((app) => summarizePipelines(app, paths)),
    // All forms of this server share the lists that it has read.
    choices: (parameters) => readChoices(parent, parameters),
    plan: (file, parameters) =>
      request(async (app) => {
        const planned = await planPipeline(app, file, { parameters });
        for (const remark of formatPlanRemarks(planned)) app.note(remark);
        return { plan: planned.shape, notes: app.noteLines.join('\n') };
      }),
    start: (file, parameters) =>
      request(async (app) => (await startPipeline(app, file, { parameters })).shape.run ?? null),
    list: () => request((app) => listRuns(app, { limit: maxRuns })),
    show: (run) => request((app) => showRun(app, run)),
    failures: (run) => request((app) => listFailures(app, run)),
    recentFailures: (since) => request((app) => listRecentFailures(app, { since })),
    previewRecentRerun: (since) =>
      request(async (app) => (await previewRecentRerun(app, { since })).shape),
    rerunRecent: (since) =>
      request(async (app) => startRecentRerun(app, await previewRecentRerun(app, { since }))),
    changedPictures: (run) =>
      request(async (app) => (await previewApproval(app, run)).shape.pictures),
    report: (run, link) =>
      request(async (app) => {
        const { page } = await readRunReport(app, run);
        return page({ link, signal: app.signal });
        // The thumbnails of many pictures take long.
      }, stop),
    approve: (run) =>
      request(async (app) => {
        await approve(app, await previewApproval(app, run));
      }),
    control: (action, run) =>
      request(async (app) => {
        await controlRun(app, action, run);
      }),
  };
}
