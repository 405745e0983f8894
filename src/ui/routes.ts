// The routes of `renderline ui`. Every action calls a use case, whose errors are shown with their fix.
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { explainError } from '../app/renderline-error.ts';
import type { PipelineSummary } from '../app/validate/pipeline-files.ts';
import { fingerprintOf } from '../plan/rows.ts';
import { picturesChangedCode } from '../plan/run/run-cause.ts';
import { policyOf } from '../report/page-html.ts';
import { securityHeaders } from './access.ts';
import { formatFileAddress, runAddress } from './addresses.ts';
import type { DeliveredFiles } from './delivered-files.ts';
import { createFailuresPage, sinceChoices } from './failures-page.ts';
import { type Html, type Page, readPageNumber, refusalHtml } from './layout.ts';
import {
  createFormPage,
  createPipelinesPage,
  createPlanPage,
  formFieldNameOf,
} from './pipeline-pages.ts';
import { createRefusedPage, readPlanChoice, rerunPage } from './rerun-page.ts';
import {
  createMessagePage,
  createThrower,
  renderNotFound,
  renderPage,
  respondWithHtml,
} from './responses.ts';
import { reviewAddress } from './review-page.ts';
import { addReviewRoutes } from './review-routes.ts';
import { createRunPage, createRunsPage, type LoadedRun, runHtml } from './run-pages.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import type { FormValues, UiUseCases } from './use-cases.ts';
import { isReadMethod, type Visitor } from './visitor.ts';

export interface UiDeps {
  useCases: UiUseCases;
  files: DeliveredFiles;
  paths: readonly string[];
  visitor: Visitor;
}

export function createUiRoutes(deps: UiDeps): Hono {
  const { visitor, useCases } = deps;
  const app = new Hono().basePath(visitor.base);
  app.use(async (c, next) => {
    c.set('visitor', visitor);
    const type = c.req.header('content-type');
    if (type !== undefined && !type.startsWith('application/x-www-form-urlencoded')) {
      const page = createMessagePage('Not possible', 'Send the form of a page of this server.');
      return renderPage(c, page, 415);
    }
    const isOfRun = c.req.path.startsWith(`${visitor.base}runs/`);
    if (visitor.link && isReadMethod(c.req.method) && isOfRun)
      await useCases.refuseEndedLink(!c.req.path.includes('/file/')).catch(createThrower(409));
    return next();
  });
  addPipelineRoutes(app, deps);
  addRunRoutes(app, deps);
  addFailureRoutes(app, deps);
  app.get('/style.css', (c) =>
    c.body(style, 200, { ...securityHeaders, 'content-type': 'text/css' }),
  );
  app.get('/script.js', (c) =>
    c.body(script, 200, { ...securityHeaders, 'content-type': 'text/javascript' }),
  );
  app.onError((error, c) => {
    if (error instanceof HTTPException && error.cause !== undefined) {
      const page: Page = { title: 'Refused', section: 'runs', body: refusalHtml(error.cause) };
      return renderPage(c, page, error.status);
    }
    const { message, fix } = explainError(error);
    return renderPage(c, createMessagePage('Not possible', `${message} ${fix}`), 502);
  });
  app.notFound((c) =>
    renderPage(c, createMessagePage('Not found', 'This page does not exist.'), 404),
  );
  return app;
}

function addPipelineRoutes(app: Hono, { useCases, paths, visitor: { base } }: UiDeps): void {
  /** Finds an offered file without errors. Returns null for any other file. */
  const findPipeline = async (file: string | undefined) => {
    const summaries = await useCases.pipelines(paths);
    return summaries.find((summary) => summary.file === file && summary.problem === null) ?? null;
  };

  const renderForm = async (
    c: Context,
    pipeline: PipelineSummary,
    formValues: FormValues = {},
    refusal: Html | null = null,
  ) => {
    const choices = await useCases.choices(pipeline.parameters);
    const page = createFormPage(pipeline, { formValues, choices, refusal });
    return renderPage(c, page, refusal === null ? 200 : 422);
  };

  app.get('/', async (c) =>
    renderPage(c, createPipelinesPage(await useCases.pipelines(paths), paths)),
  );
  app.get('/pipeline', async (c) => {
    const pipeline = await findPipeline(c.req.query('file'));
    return pipeline ? renderForm(c, pipeline) : renderNotFound(c);
  });
  /** Reads the form of an offered pipeline. After an error, the form is shown again with the error. */
  const onForm =
    (
      respond: (c: Context, pipeline: PipelineSummary, formValues: FormValues) => Promise<Response>,
    ) =>
    async (c: Context) => {
      const { file, given: formValues } = await readForm(c);
      const pipeline = await findPipeline(file);
      if (pipeline === null) return renderNotFound(c);
      return respond(c, pipeline, formValues).catch((error: unknown) =>
        renderForm(c, pipeline, formValues, refusalHtml(error)),
      );
    };
  app.post('/pipeline', onForm(renderForm));
  app.post(
    '/plan',
    onForm(async (c, pipeline, formValues) => {
      const values = filterDeclared(pipeline, formValues);
      const { plan, notes } = await useCases.plan(pipeline.file, values);
      return renderPage(c, createPlanPage(pipeline, formValues, plan, notes));
    }),
  );
  app.post(
    '/start',
    onForm(async (c, pipeline, formValues) => {
      const run = await useCases.start(pipeline.file, filterDeclared(pipeline, formValues));
      if (run !== null) return c.redirect(`${base}${runAddress(run)}`, 303);
      const { body } = createMessagePage('', 'Nothing to do: the source has no matching file.');
      return renderForm(c, pipeline, formValues, body);
    }),
  );
}

function addRunRoutes(app: Hono, deps: UiDeps): void {
  const { useCases, files } = deps;
  const { base, link } = deps.visitor;
  const actions = ['pause', 'resume', 'cancel'] as const;
  app.get('/runs', async (c) =>
    renderPage(c, createRunsPage(await useCases.list().catch(createThrower(502)))),
  );
  app.get('/runs/:run', async (c) => {
    const run = c.req.param('run');
    const page = readPageNumber(c.req.query('page'));
    const isPart = c.req.query('part') === 'view';
    // A visitor with a link is redirected to the pictures that wait.
    if (link && !isPart && (await useCases.waiting(run).catch(() => [])).length > 0)
      return c.redirect(`${base}${reviewAddress(run)}`, 303);
    const loadedRun = await loadRun(deps, run, page).catch(createThrower(404));
    if (isPart) return respondWithHtml(c, runHtml(loadedRun, run, c.var.visitor));
    return renderPage(c, createRunPage(loadedRun, run, c.var.visitor));
  });
  addReviewRoutes(app, deps);
  app.get('/runs/:run/report', async (c) => {
    const run = c.req.param('run');
    const { exports } = await loadFiles(deps, run).catch(createThrower(404));
    const page = await useCases.report(run, (path, delivery) => {
      const isShared = delivery !== undefined && exports.length > 0;
      const fingerprint = isShared ? fingerprintOf(delivery) : undefined;
      return `${base}${formatFileAddress(run, path, fingerprint)}`;
    });
    // The report contains a policy with the hashes of its scripts, but a page cannot forbid frames from inside itself.
    const policy = `${policyOf(page)}; frame-ancestors 'none'`;
    return c.html(page, 200, { ...securityHeaders, 'content-security-policy': policy });
  });
  app.get('/runs/:run/file/:path{.+}', async (c) => {
    const { run, path } = c.req.param();
    if (!files.has(run, path)) await loadFiles(deps, run).catch(createThrower(404));
    const delivery = c.req.query('of');
    const isSmall = c.req.query('small') !== undefined;
    const file = await (isSmall
      ? files.thumbnail(run, path, delivery)
      : files.read(run, path, delivery));
    if (file === null) return renderNotFound(c);
    const headers = {
      ...securityHeaders,
      'content-type': file.type,
      'cache-control': 'private, max-age=60',
    };
    return c.body(new Uint8Array(file.bytes), 200, headers);
  });
  app.get('/runs/:run/rerun', async (c) => {
    const run = c.req.param('run');
    const plan = readPlanChoice(c.req.query('plan'));
    try {
      return renderPage(c, rerunPage(run, await useCases.previewRerun(run, plan)));
    } catch (error) {
      return renderPage(c, createRefusedPage(run, plan, error), 409);
    }
  });
  app.post('/runs/:run/rerun', async (c) => {
    const { plan, assets } = await c.req.parseBody();
    const shownWork = { plan: readPlanChoice(plan), assets: Number(assets) };
    const newRun = await useCases.rerun(c.req.param('run'), shownWork).catch(createThrower(409));
    return c.redirect(`${base}${runAddress(newRun)}`, 303);
  });
  app.post('/runs/:run/:action', async (c) => {
    const run = c.req.param('run');
    const action = actions.find((name) => name === c.req.param('action'));
    if (action === undefined) return renderNotFound(c);
    await useCases.control(action, run).catch(createThrower(409));
    return c.redirect(`${base}${runAddress(run)}`, 303);
  });
}

function addFailureRoutes(app: Hono, { useCases, visitor: { base } }: UiDeps): void {
  const readSince = (value: unknown) => sinceChoices.find((choice) => choice === value) ?? '7d';
  app.get('/failures', async (c) => {
    const since = readSince(c.req.query('since'));
    const failures = await useCases.recentFailures(since).catch(createThrower(502));
    const rerun = await useCases.previewRecentRerun(since).catch(createThrower(502));
    return renderPage(c, createFailuresPage({ since, failures, rerun }));
  });
  app.post('/failures', async (c) => {
    const { since, assets } = await c.req.parseBody();
    await useCases.rerunRecent(readSince(since), Number(assets)).catch(createThrower(409));
    return c.redirect(`${base}runs`, 303);
  });
}

async function loadRun(deps: UiDeps, run: string, page: number): Promise<LoadedRun> {
  const { useCases } = deps;
  const shape = await loadFiles(deps, run);
  return {
    shape,
    failures: shape.failures.length === 0 ? null : await useCases.failures(run).catch(() => null),
    changed:
      shape.cause?.code === picturesChangedCode
        ? await useCases.changedPictures(run).catch((error: unknown) => ({ error }))
        : [],
    page,
  };
}

/** Reads a run, and registers its files so that they can be served. */
async function loadFiles({ useCases, files }: UiDeps, run: string): Promise<LoadedRun['shape']> {
  const { shape, destinations, exports, paths } = await useCases.show(run);
  files.setRunFiles(run, { destinations, exports, paths });
  return shape;
}

async function readForm(c: Context): Promise<{ file: string; given: FormValues }> {
  const fields = await c.req.parseBody();
  const formValues: Record<string, string> = {};
  const prefix = formFieldNameOf('');
  for (const [field, value] of Object.entries(fields)) {
    // An empty field is skipped, so that the default of the file applies.
    if (!field.startsWith(prefix) || typeof value !== 'string' || value === '') continue;
    formValues[field.slice(prefix.length)] = value;
  }
  return { file: typeof fields['file'] === 'string' ? fields['file'] : '', given: formValues };
}

/** Keeps only parameters that the file declares. */
function filterDeclared({ parameters }: PipelineSummary, formValues: FormValues): FormValues {
  const entries = Object.entries(formValues).filter(([name]) => Object.hasOwn(parameters, name));
  return Object.fromEntries(entries);
}
