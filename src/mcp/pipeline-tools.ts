// The tools for pipelines, which an assistant uses to work on a person's files and runs. A tool returns the same data
// and makes the same checks as the command in a terminal.
import { resolve } from 'node:path';
import { z } from 'zod';
import { toJsonSchema } from '../api/contract/json-schema.ts';
import { listFailures } from '../app/failures/list-failures.ts';
import { planPipeline } from '../app/plan/plan-pipeline.ts';
import { formatPlanRemarks } from '../app/plan/plan-remarks.ts';
import { explainError } from '../app/renderline-error.ts';
import { readDailyReport } from '../app/report/read-daily-report.ts';
import { readRunReport } from '../app/report/read-run-report.ts';
import { RequestApp } from '../app/request-app.ts';
import { previewRerun, startRerun } from '../app/rerun/rerun.ts';
import { listRuns } from '../app/runs/list-runs.ts';
import { showRun } from '../app/runs/show-run.ts';
import { startPipeline } from '../app/runs/start-pipeline.ts';
import { validateFiles } from '../app/validate/validate-files.ts';
import { assertAllowed, type Tool, ToolError, titleOf } from './tool.ts';

interface PipelineToolOptions<Shape extends z.ZodObject> {
  readonly description: string;
  readonly input: Shape;
  /** Reads, or previews what `start` would do. */
  readonly read: (app: RequestApp, request: z.output<Shape>) => Promise<object>;
  /** Starts work, if the call confirms it. The input then has the field `confirm`. */
  readonly start?: (app: RequestApp, request: z.output<Shape>) => Promise<object>;
}

function createPipelineTool<Shape extends z.ZodObject>(
  name: string,
  { description, input, read, start }: PipelineToolOptions<Shape>,
): Tool {
  const starts = start !== undefined;
  const permission = starts ? 'runs' : null;
  return {
    name,
    title: titleOf(name),
    description,
    input: toJsonSchema(input, 'input'),
    annotations: {
      readOnlyHint: !starts,
      // A tool that starts runs is destructive, because a run replaces delivered files of a source that has changed.
      destructiveHint: starts,
      idempotentHint: !starts,
    },
    permission,
    async call(values, context) {
      const request = input.parse(values);
      const isConfirmed = 'confirm' in request && request['confirm'] === true;
      if (isConfirmed) assertAllowed({ name, permission }, context);
      const app = new RequestApp(context.app, context.signal);
      const act = isConfirmed && start ? start : read;
      try {
        const result = await app.complete(() => act(app, request));
        const isPreview = starts && !isConfirmed;
        const notes = app.noteLines.length > 0 ? { notes: app.noteLines } : {};
        return { ...(isPreview ? previewFields : {}), ...result, ...notes };
      } catch (error) {
        const { code, message, fix } = explainError(error);
        const lines = [message, fix, ...app.noteLines].filter((line) => line !== '');
        throw new ToolError(code, lines.join('\n'));
      }
    },
  };
}

const previewFields = {
  started: false,
  next: 'Nothing was started. To start: repeat the call with confirm: true.',
};

const text = z.string().min(1).max(1_000);
const file = text.describe("Path of the pipeline file, relative to the server's folder.");
const run = z
  .string()
  // Ids of scheduled runs contain colons, because they contain the time of the start. Ids may also contain a slash.
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/, 'must be a run id, as list_runs returns it')
  .describe('Run id, as list_runs returns it.');
const parameters = z
  .record(
    z.string().regex(/^\w{1,63}$/, 'must be the name of a parameter'),
    // Values become strings, as on a command line, because the pipeline file declares their types.
    z.union([text, z.number(), z.boolean()]).transform(String),
  )
  .default({})
  .describe("Values of the pipeline's parameters, by name.");
const pipeline = text.optional().describe('Only runs of the pipeline with this name.');
const confirm = z
  .boolean()
  .default(false)
  .describe('true starts the work, which costs money; otherwise, the result is a preview.');

async function planFile(
  app: RequestApp,
  request: { file: string; parameters: Record<string, string> },
): Promise<object> {
  const planResult = await planPipeline(app, request.file, { parameters: request.parameters });
  for (const remark of formatPlanRemarks(planResult)) app.note(remark);
  return planResult.shape;
}

export const pipelineTools: readonly Tool[] = [
  createPipelineTool('validate_pipeline', {
    description:
      'Check pipeline files. Returns all problems at once, each with file, line, code and fix.',
    input: z.strictObject({ files: z.array(file).min(1).max(20) }),
    read: async (app, { files }) => (await validateFiles(app, files)).shape,
  }),
  createPipelineTool('plan_pipeline', {
    description:
      'Preview a run of a pipeline: its assets, requests by operation, renders, time and limits. Writes nothing.',
    input: z.strictObject({ file, parameters }),
    read: planFile,
  }),
  createPipelineTool('run_pipeline', {
    description:
      'Start a run of a pipeline. Without confirm, the tool returns the plan and starts nothing. The tool does not wait for the run: follow the run with show_run.',
    input: z.strictObject({ file, parameters, confirm }),
    read: planFile,
    start: async (app, request) =>
      (await startPipeline(app, request.file, { parameters: request.parameters })).shape,
  }),
  createPipelineTool('list_runs', {
    description: 'List runs, newest first, with their state.',
    input: z.strictObject({
      pipeline,
      limit: z.int().min(1).max(100).default(20).describe('Maximum number of runs.'),
    }),
    read: listRuns,
  }),
  createPipelineTool('show_run', {
    description: 'Show a run: its progress, its cost and the outcome of its assets.',
    input: z.strictObject({ run }),
    read: async (app, request) => (await showRun(app, request.run)).shape,
  }),
  createPipelineTool('list_failures', {
    description:
      'List what failed in a run, by cause: code, node, message, fix and number of assets.',
    input: z.strictObject({ run }),
    read: async (app, request) => listFailures(app, request.run),
  }),
  createPipelineTool('report_run', {
    description:
      'Report on a run: results, failures, changed pictures, planned and actual figures, time of each step, requests, and who started, paused and approved it.',
    input: z.strictObject({ run }),
    async read(app, request) {
      const { report } = await readRunReport(app, request.run);
      if (report.remark !== null) app.note(report.remark);
      return report;
    },
  }),
  createPipelineTool('report_since', {
    description:
      'Report on all runs since a point in time: runs by outcome, failures by cause, delivered files.',
    input: z.strictObject({
      since: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9:.+-]{0,40}$/, 'must be yesterday, 12h or a date')
        .describe('yesterday, a duration such as 12h, or a date such as 2026-11-01.'),
      pipeline,
    }),
    // The report is not written to a page, so links start at the folder of the server.
    read: (app, options) => readDailyReport(app, { ...options, page: resolve(app.cwd, '-') }),
  }),
  createPipelineTool('rerun', {
    description:
      'Rerun the undelivered assets of a run with its plan, each from the step where it stopped. Without confirm, the tool returns a preview and starts nothing.',
    input: z.strictObject({
      run,
      failed: z.boolean().default(false).describe('Only failed assets, not cancelled ones.'),
      where: text
        .optional()
        .describe(
          'CEL condition on a failure, such as code == "RENDER_FAILED" && node == "shots".',
        ),
      confirm,
    }),
    read: async (app, { failed, where, ...request }) =>
      (await previewRerun(app, request.run, { failed, where, with: 'pinned' })).shape,
    async start(app, { failed, where, ...request }) {
      const preview = await previewRerun(app, request.run, { failed, where, with: 'pinned' });
      return preview.isEmpty ? preview.shape : (await startRerun(app, preview)).shape;
    },
  }),
];
