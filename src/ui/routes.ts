// The routes of `renderline ui`. Every action executes a command and shows the command's messages.
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { explainError } from '../app/renderline-error.ts';
import { picturesChangedCode } from '../plan/run/run-cause.ts';
import { policyOf } from '../report/page-html.ts';
import type { Environment } from '../settings/environment.ts';
import { securityHeaders } from './access.ts';
import {
  FailuresOutput,
  PicturesOutput,
  PlanOutput,
  RunOutput,
  RunsOutput,
} from './command-outputs.ts';
import type { DeliveredFiles } from './delivered-files.ts';
import type { ExecuteCommand, ExecutedCommand } from './execute-command.ts';
import { type Page, pageHtml, refusalHtml } from './layout.ts';
import { listOfferedPipelines, type OfferedPipeline } from './offered-pipelines.ts';
import {
  type FormValues,
  formFieldName,
  formPage,
  pipelinesPage,
  planPage,
} from './pipeline-pages.ts';
import {
  fileAddress,
  type LoadedRun,
  runAddress,
  runPage,
  runsPage,
  runView,
} from './run-pages.ts';
import { script } from './script.ts';
import { style } from './style.ts';

export interface UiDeps {
  execute: ExecuteCommand;
  files: DeliveredFiles;
  /** Reads the destination of a run's files; null if the run delivers none. */
  destinationOf: (
    run: string,
  ) => Promise<Parameters<DeliveredFiles['setRunFiles']>[1]['destination']>;
  /** Renders the report of a run; `link` returns the address of a delivered file. */
  reportOf: (run: string, link: (path: string) => string) => Promise<string>;
  /** Pipeline files and folders from the command line. */
  paths: readonly string[];
  cwd: string;
  environment: Environment;
  /** Base path of all pages, with a trailing slash. */
  base: string;
}

/** Actions of a run's page, and their commands. */
const actions: ReadonlyMap<string, readonly string[]> = new Map([
  ['pause', ['pause']],
  ['resume', ['resume']],
  ['cancel', ['cancel']],
  ['approve', ['approve', '--yes']],
]);

export function uiRoutes(deps: UiDeps): Hono {
  const app = new Hono().basePath(deps.base);
  addPipelineRoutes(app, deps);
  addRunRoutes(app, deps);
  app.get('/style.css', (c) =>
    c.body(style, 200, { ...securityHeaders, 'content-type': 'text/css' }),
  );
  app.get('/script.js', (c) =>
    c.body(script, 200, { ...securityHeaders, 'content-type': 'text/javascript' }),
  );
  app.onError((error, c) => {
    const { message, fix } = explainError(error);
    return renderPage(c, messagePage('Not possible', `${message} ${fix}`), 502);
  });
  app.notFound((c) =>
    renderPage(c, messagePage('Not found', 'There is nothing at this address.'), 404),
  );
  return app;
}

function addPipelineRoutes(app: Hono, { execute, base, paths, cwd, environment }: UiDeps): void {
  const listPipelines = () => listOfferedPipelines(paths, { cwd, environment });
  const findPipeline = async (file: string | undefined) =>
    (await listPipelines()).find((one) => one.file === file && one.problem === null) ?? null;

  app.get('/', async (c) => renderPage(c, pipelinesPage(await listPipelines(), paths)));
  app.get('/pipeline', async (c) => {
    const pipeline = await findPipeline(c.req.query('file'));
    return pipeline ? renderPage(c, formPage(pipeline, {}, null)) : renderNotFound(c);
  });
  app.post('/pipeline', async (c) => {
    const { file, given } = await readForm(c);
    const pipeline = await findPipeline(file);
    return pipeline ? renderPage(c, formPage(pipeline, given, null)) : renderNotFound(c);
  });
  app.post('/plan', async (c) => {
    const { file, given } = await readForm(c);
    const pipeline = await findPipeline(file);
    if (pipeline === null) return renderNotFound(c);
    const answered = await execute(['plan', ...commandArguments(pipeline, given)]);
    const plan = PlanOutput.safeParse(answered.output);
    if (!plan.success) return renderPage(c, formPage(pipeline, given, refusalHtml(answered)), 422);
    return renderPage(c, planPage(pipeline, given, plan.data, answered.notes));
  });
  app.post('/start', async (c) => {
    const { file, given } = await readForm(c);
    const pipeline = await findPipeline(file);
    if (pipeline === null) return renderNotFound(c);
    const answered = await execute(['run', ...commandArguments(pipeline, given)]);
    const { run } = z.object({ run: z.string().nullish() }).parse(answered.output);
    if (answered.code === 0 && typeof run === 'string') {
      return c.redirect(`${base}${runAddress(run)}`, 303);
    }
    const said =
      answered.code === 0
        ? messagePage('', 'Nothing to do: the source has no matching file.').body
        : refusalHtml(answered);
    return renderPage(c, formPage(pipeline, given, said), 422);
  });
}

function addRunRoutes(app: Hono, deps: UiDeps): void {
  const { execute, base, files } = deps;
  app.get('/runs', async (c) => {
    const answered = await execute(['runs', '--limit', '50']);
    const runs = RunsOutput.safeParse(answered.output);
    return runs.success
      ? renderPage(c, runsPage(runs.data))
      : renderPage(c, failedCommandPage(answered), 502);
  });
  app.get('/runs/:run', async (c) => {
    const run = c.req.param('run');
    const seen = await loadRun(deps, run, Number(c.req.query('page') ?? 1));
    if ('code' in seen) return renderPage(c, failedCommandPage(seen), 404);
    if (c.req.query('part') === 'view') return c.html(runView(seen, run), 200, securityHeaders);
    return renderPage(c, runPage(seen, run));
  });
  app.get('/runs/:run/report', async (c) => {
    const run = c.req.param('run');
    const seen = await loadRun(deps, run, 1);
    if ('code' in seen) return renderPage(c, failedCommandPage(seen), 404);
    const page = await deps.reportOf(run, (path) => `${base}${fileAddress(run, path)}`);
    // The report contains a policy with the hashes of its scripts, but a page cannot forbid frames from inside itself.
    const policy = `${policyOf(page)}; frame-ancestors 'none'`;
    return c.html(page, 200, { ...securityHeaders, 'content-security-policy': policy });
  });
  app.get('/runs/:run/file/:path{.+}', async (c) => {
    const { run, path } = c.req.param();
    if (!files.has(run, path)) await loadRun(deps, run, 1);
    const isSmall = c.req.query('small') !== undefined;
    const file = await (isSmall ? files.thumbnail(run, path) : files.read(run, path));
    if (file === null) return renderNotFound(c);
    const headers = {
      ...securityHeaders,
      'content-type': file.type,
      'cache-control': 'private, max-age=60',
    };
    return c.body(new Uint8Array(file.bytes), 200, headers);
  });
  app.post('/runs/:run/:action', async (c) => {
    const { run, action } = c.req.param();
    const [verb, ...options] = actions.get(action) ?? [];
    if (verb === undefined) return renderNotFound(c);
    const answered = await execute([verb, run, ...options]);
    return answered.code === 0
      ? c.redirect(`${base}${runAddress(run)}`, 303)
      : renderPage(c, failedCommandPage(answered), 409);
  });
}

/** Reads a run with `show`, and its failures and changed pictures if there are any; the failed command if there is no such run. */
async function loadRun(
  deps: UiDeps,
  run: string,
  requestedPage: number,
): Promise<LoadedRun | ExecutedCommand> {
  const runResult = await deps.execute(['show', run]);
  const shape = RunOutput.safeParse(runResult.output);
  if (!shape.success) return runResult;
  const paths = new Set(shape.data.files.map(({ path }) => path));
  deps.files.setRunFiles(run, { destination: await deps.destinationOf(run), paths });
  const failuresResult =
    shape.data.failures.length === 0 ? null : await deps.execute(['failures', run]);
  const failures = failuresResult && FailuresOutput.safeParse(failuresResult.output);
  const hasPicturesToApprove = shape.data.cause?.code === picturesChangedCode;
  const picturesResult = hasPicturesToApprove
    ? await deps.execute(['approve', run, '--dry-run'])
    : null;
  const changed = picturesResult && PicturesOutput.safeParse(picturesResult.output);
  const page = Number.isInteger(requestedPage) && requestedPage > 0 ? requestedPage : 1;
  return {
    shape: shape.data,
    failures: failures?.data ?? null,
    changed: changed?.data?.pictures ?? [],
    page,
  };
}

async function readForm(c: Context): Promise<{ file: string; given: FormValues }> {
  const fields = await c.req.parseBody();
  const given: Record<string, string> = {};
  const prefix = formFieldName('');
  for (const [field, value] of Object.entries(fields)) {
    // An empty field keeps the default of the file.
    if (!field.startsWith(prefix) || typeof value !== 'string' || value === '') continue;
    given[field.slice(prefix.length)] = value;
  }
  return { file: typeof fields['file'] === 'string' ? fields['file'] : '', given };
}

/** Takes only parameters that the file declares, so that a request cannot add options. */
function commandArguments({ file, parameters }: OfferedPipeline, given: FormValues): string[] {
  const params = Object.keys(parameters).flatMap((name) =>
    given[name] === undefined ? [] : [`--param=${name}=${given[name]}`],
  );
  return [...params, '--', file];
}

function renderPage(c: Context, page: Page, status: 200 | 404 | 409 | 422 | 502 = 200) {
  return c.html(pageHtml(page, basePathOf(c)), status, securityHeaders);
}

/** The base path is the first segment of every address. */
function basePathOf({ req }: Context): string {
  return `/${req.path.split('/')[1]}/`;
}

function renderNotFound(c: Context) {
  return renderPage(
    c,
    messagePage('Not found', 'There is no such pipeline, run or file here.'),
    404,
  );
}

function failedCommandPage(answered: ExecutedCommand): Page {
  return { title: 'Refused', section: 'runs', body: refusalHtml(answered) };
}

function messagePage(title: string, text: string): Page {
  const body = html`<section class="refusal" role="alert"><p>${text}</p></section>`;
  return { title, section: 'pipelines', body };
}
