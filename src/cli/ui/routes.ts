// The routes of `renderline ui`. Every action executes a command and shows the command's messages.
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { picturesChanged } from '../../plan/run-cause.ts';
import { policyOf } from '../../report/page-html.ts';
import type { Environment } from '../../settings/environment.ts';
import { explainError } from '../exit.ts';
import { safety } from './access.ts';
import { FailuresAnswer, PicturesAnswer, PlanAnswer, RunAnswer, RunsAnswer } from './answers.ts';
import type { Answered, AskCommand } from './ask-command.ts';
import type { DeliveredFiles } from './delivered.ts';
import { type Page, pageHtml, refusalHtml } from './layout.ts';
import { type Offered, offeredPipelines } from './offered.ts';
import { fieldOf, formPage, type Given, pipelinesPage, planPage } from './pipeline-pages.ts';
import { fileAddress, runAddress, runPage, runsPage, runView, type SeenRun } from './run-pages.ts';
import { script } from './script.ts';
import { style } from './style.ts';

export interface UiWorld {
  ask: AskCommand;
  files: DeliveredFiles;
  /** Reads the destination of a run's files; null if the run delivers none. */
  destinationOf: (run: string) => Promise<Parameters<DeliveredFiles['tell']>[1]['destination']>;
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

export function uiRoutes(world: UiWorld): Hono {
  const app = new Hono().basePath(world.base);
  beforeRuns(app, world);
  ofRuns(app, world);
  app.get('/style.css', (c) => c.body(style, 200, { ...safety, 'content-type': 'text/css' }));
  app.get('/script.js', (c) =>
    c.body(script, 200, { ...safety, 'content-type': 'text/javascript' }),
  );
  app.onError((error, c) => {
    const { message, fix } = explainError(error);
    return show(c, refused('Not possible', `${message} ${fix}`), 502);
  });
  app.notFound((c) => show(c, refused('Not found', 'There is nothing at this address.'), 404));
  return app;
}

function beforeRuns(app: Hono, { ask, base, paths, cwd, environment }: UiWorld): void {
  const offered = () => offeredPipelines(paths, { cwd, environment });
  const chosen = async (file: string | undefined) =>
    (await offered()).find((one) => one.file === file && one.problem === null) ?? null;

  app.get('/', async (c) => show(c, pipelinesPage(await offered(), paths)));
  app.get('/pipeline', async (c) => {
    const pipeline = await chosen(c.req.query('file'));
    return pipeline ? show(c, formPage(pipeline, {}, null)) : gone(c);
  });
  app.post('/pipeline', async (c) => {
    const { file, given } = await formOf(c);
    const pipeline = await chosen(file);
    return pipeline ? show(c, formPage(pipeline, given, null)) : gone(c);
  });
  app.post('/plan', async (c) => {
    const { file, given } = await formOf(c);
    const pipeline = await chosen(file);
    if (pipeline === null) return gone(c);
    const answered = await ask(['plan', ...wordsOf(pipeline, given)]);
    const plan = PlanAnswer.safeParse(answered.answer);
    if (!plan.success) return show(c, formPage(pipeline, given, refusalHtml(answered)), 422);
    return show(c, planPage(pipeline, given, plan.data, answered.notes));
  });
  app.post('/start', async (c) => {
    const { file, given } = await formOf(c);
    const pipeline = await chosen(file);
    if (pipeline === null) return gone(c);
    const answered = await ask(['run', ...wordsOf(pipeline, given)]);
    const { run } = z.object({ run: z.string().nullish() }).parse(answered.answer);
    if (answered.code === 0 && typeof run === 'string') {
      return c.redirect(`${base}${runAddress(run)}`, 303);
    }
    const said =
      answered.code === 0
        ? refused('', 'Nothing to do: the source has no matching file.').body
        : refusalHtml(answered);
    return show(c, formPage(pipeline, given, said), 422);
  });
}

function ofRuns(app: Hono, world: UiWorld): void {
  const { ask, base, files } = world;
  app.get('/runs', async (c) => {
    const answered = await ask(['runs', '--limit', '50']);
    const runs = RunsAnswer.safeParse(answered.answer);
    return runs.success ? show(c, runsPage(runs.data)) : show(c, failed(answered), 502);
  });
  app.get('/runs/:run', async (c) => {
    const run = c.req.param('run');
    const seen = await seeRun(world, run, Number(c.req.query('page') ?? 1));
    if ('code' in seen) return show(c, failed(seen), 404);
    if (c.req.query('part') === 'view') return c.html(runView(seen, run), 200, safety);
    return show(c, runPage(seen, run));
  });
  app.get('/runs/:run/report', async (c) => {
    const run = c.req.param('run');
    const seen = await seeRun(world, run, 1);
    if ('code' in seen) return show(c, failed(seen), 404);
    const page = await world.reportOf(run, (path) => `${base}${fileAddress(run, path)}`);
    // The report contains a policy with the hashes of its scripts, but a page cannot forbid frames from inside itself.
    const policy = `${policyOf(page)}; frame-ancestors 'none'`;
    return c.html(page, 200, { ...safety, 'content-security-policy': policy });
  });
  app.get('/runs/:run/file/:path{.+}', async (c) => {
    const { run, path } = c.req.param();
    if (!files.has(run, path)) await seeRun(world, run, 1);
    const isSmall = c.req.query('small') !== undefined;
    const file = await (isSmall ? files.thumbnail(run, path) : files.read(run, path));
    if (file === null) return gone(c);
    const headers = {
      ...safety,
      'content-type': file.type,
      'cache-control': 'private, max-age=60',
    };
    return c.body(new Uint8Array(file.bytes), 200, headers);
  });
  app.post('/runs/:run/:action', async (c) => {
    const { run, action } = c.req.param();
    const [verb, ...options] = actions.get(action) ?? [];
    if (verb === undefined) return gone(c);
    const answered = await ask([verb, run, ...options]);
    return answered.code === 0
      ? c.redirect(`${base}${runAddress(run)}`, 303)
      : show(c, failed(answered), 409);
  });
}

/** Reads a run with `show`, and its failures and changed pictures if there are any; the failed command if there is no such run. */
async function seeRun(world: UiWorld, run: string, asked: number): Promise<SeenRun | Answered> {
  const answered = await world.ask(['show', run]);
  const shape = RunAnswer.safeParse(answered.answer);
  if (!shape.success) return answered;
  const paths = new Set(shape.data.files.map(({ path }) => path));
  world.files.tell(run, { destination: await world.destinationOf(run), paths });
  const told = shape.data.failures.length === 0 ? null : await world.ask(['failures', run]);
  const failures = told && FailuresAnswer.safeParse(told.answer);
  const asksFor = shape.data.cause?.code === picturesChanged;
  const shown = asksFor ? await world.ask(['approve', run, '--dry-run']) : null;
  const changed = shown && PicturesAnswer.safeParse(shown.answer);
  const page = Number.isInteger(asked) && asked > 0 ? asked : 1;
  return {
    shape: shape.data,
    failures: failures?.data ?? null,
    changed: changed?.data?.pictures ?? [],
    page,
  };
}

async function formOf(c: Context): Promise<{ file: string; given: Given }> {
  const fields = await c.req.parseBody();
  const given: Record<string, string> = {};
  const prefix = fieldOf('');
  for (const [field, value] of Object.entries(fields)) {
    // An empty field keeps the default of the file.
    if (!field.startsWith(prefix) || typeof value !== 'string' || value === '') continue;
    given[field.slice(prefix.length)] = value;
  }
  return { file: typeof fields['file'] === 'string' ? fields['file'] : '', given };
}

/** Takes only parameters that the file declares, so that a request cannot add options. */
function wordsOf({ file, parameters }: Offered, given: Given): string[] {
  const params = Object.keys(parameters).flatMap((name) =>
    given[name] === undefined ? [] : [`--param=${name}=${given[name]}`],
  );
  return [...params, '--', file];
}

function show(c: Context, page: Page, status: 200 | 404 | 409 | 422 | 502 = 200) {
  return c.html(pageHtml(page, baseOf(c)), status, safety);
}

/** The base path is the first segment of every address. */
function baseOf({ req }: Context): string {
  return `/${req.path.split('/')[1]}/`;
}

function gone(c: Context) {
  return show(c, refused('Not found', 'There is no such pipeline, run or file here.'), 404);
}

function failed(answered: Answered): Page {
  return { title: 'Refused', at: 'runs', body: refusalHtml(answered) };
}

function refused(title: string, text: string): Page {
  const body = html`<section class="refusal" role="alert"><p>${text}</p></section>`;
  return { title, at: 'pipelines', body };
}
