// Tools that execute Renderline commands, with which an assistant works on a person's pipelines. A tool returns the same
// data and makes the same checks as the command on a terminal.
import { z } from 'zod';
import { type JsonSchema, jsonSchema } from '../api/contract/json-schema.ts';

/** A tool call, converted to a command line. */
export interface ToolCommand {
  readonly argv: readonly string[];
  /** Whether the call starts work rather than previews it. */
  readonly isConfirmed: boolean;
}

export interface CommandTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly input: JsonSchema;
  /** Whether a confirmed call starts work on the platform. */
  readonly starts: boolean;
  /** Converts arguments into a command line. @throws ZodError for invalid arguments */
  toCommand(given: Readonly<Record<string, unknown>>): ToolCommand;
}

interface CommandToolSpec<Shape extends z.ZodObject> {
  readonly description: string;
  readonly input: Shape;
  /** Set for tools that start work; their input has the field `confirm`. */
  readonly starts?: true;
  readonly argv: (given: z.output<Shape>, isConfirmed: boolean) => string[];
}

function commandTool<Shape extends z.ZodObject>(
  name: string,
  { description, input, starts, argv }: CommandToolSpec<Shape>,
): CommandTool {
  return {
    name,
    description,
    input: jsonSchema(input, 'input'),
    starts: starts === true,
    toCommand: (given) => {
      const read = input.parse(given);
      const isConfirmed = 'confirm' in read && read['confirm'] === true;
      return { argv: argv(read, isConfirmed), isConfirmed };
    },
  };
}

const text = z.string().min(1).max(1_000);
const file = text.describe('Pipeline file, by its path from the folder of the server.');
const run = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/, 'must be a run id, as list_runs gives it')
  .describe('Run id, as list_runs gives it.');
const parameters = z
  .record(
    z.string().regex(/^\w{1,63}$/, 'must be the name of a parameter'),
    z.union([text, z.number(), z.boolean()]),
  )
  .default({})
  .describe("Values of the pipeline's parameters, by name.");
const confirm = z
  .boolean()
  .default(false)
  .describe(
    'true starts the work, which costs money; otherwise the result is a preview of what would be done.',
  );

const params = (given: z.output<typeof parameters>) =>
  Object.entries(given).map(([name, value]) => `--param=${name}=${String(value)}`);

/** All tools that execute commands. An entry here makes another command available. */
export const commandTools: readonly CommandTool[] = [
  commandTool('validate_pipeline', {
    description: 'Check pipeline files: all problems at once, each with file, line, code and fix.',
    input: z.strictObject({ files: z.array(file).min(1).max(20) }),
    argv: ({ files }) => ['validate', '--', ...files],
  }),
  commandTool('plan_pipeline', {
    description:
      'What a run of a pipeline would do, cost and take: assets, requests by operation, renders, time, limits. Writes nothing.',
    input: z.strictObject({ file, parameters }),
    argv: (given) => ['plan', ...params(given.parameters), '--', given.file],
  }),
  commandTool('run_pipeline', {
    description:
      'Start a run of a pipeline. Without confirm the result is the plan, and nothing starts. The tool does not wait: follow the run with show_run.',
    input: z.strictObject({ file, parameters, confirm }),
    starts: true,
    argv: (given, isConfirmed) => [
      isConfirmed ? 'run' : 'plan',
      ...params(given.parameters),
      '--',
      given.file,
    ],
  }),
  commandTool('list_runs', {
    description: 'Runs, newest first, with their state.',
    input: z.strictObject({
      pipeline: text.optional().describe('Only runs of the pipeline of this name.'),
      limit: z.int().min(1).max(100).default(20).describe('Maximum number of runs.'),
    }),
    argv: ({ pipeline, limit }) => [
      'runs',
      `--limit=${limit}`,
      ...(pipeline === undefined ? [] : [`--pipeline=${pipeline}`]),
    ],
  }),
  commandTool('show_run', {
    description: 'One run: its progress, its cost, and the outcome of its assets.',
    input: z.strictObject({ run }),
    argv: (given) => ['show', '--', given.run],
  }),
  commandTool('list_failures', {
    description: 'What failed in a run, by cause: code, node, message, fix, and how many assets.',
    input: z.strictObject({ run }),
    argv: (given) => ['failures', '--', given.run],
  }),
  commandTool('report_run', {
    description:
      'Report of a run: results and failures, changes in its pictures, plan and actual figures, time of each step, requests, and who started, paused and approved it.',
    input: z.strictObject({ run }),
    argv: (given) => ['report', '--format=json', '--output=-', '--', given.run],
  }),
  commandTool('report_since', {
    description:
      'Report of all runs since a point in time: runs by outcome, failures by cause, delivered files.',
    input: z.strictObject({
      since: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9:.+-]{0,40}$/, 'must be yesterday, 12h or a date')
        .describe('yesterday, a duration such as 12h, or a date such as 2026-11-01.'),
      pipeline: text.optional().describe('Only runs of the pipeline of this name.'),
    }),
    argv: ({ since, pipeline }) => [
      'report',
      `--since=${since}`,
      '--format=json',
      '--output=-',
      ...(pipeline === undefined ? [] : [`--pipeline=${pipeline}`]),
    ],
  }),
  commandTool('rerun', {
    description:
      'Rerun the undelivered assets of a run, each from the step where it stopped, with the plan of that run. Without confirm the result is a preview, and nothing starts.',
    input: z.strictObject({
      run,
      failed: z.boolean().default(false).describe('Only failed assets, not cancelled ones.'),
      where: text
        .optional()
        .describe('CEL over a failure, such as code == "RENDER_FAILED" && node == "shots".'),
      confirm,
    }),
    starts: true,
    argv: ({ failed, where, ...given }, isConfirmed) => [
      'rerun',
      '--with=pinned',
      ...(failed ? ['--failed'] : []),
      ...(where === undefined ? [] : [`--where=${where}`]),
      ...(isConfirmed ? ['--yes'] : []),
      '--',
      given.run,
    ],
  }),
];
