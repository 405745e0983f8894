// The pages with fake use cases, and readers of what the pages show.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from '../../src/app/app.ts';
import { readChoices } from '../../src/app/choices/read-choices.ts';
import type { FailuresShape } from '../../src/app/failures/list-failures.ts';
import type { PlanShape } from '../../src/app/plan/plan-pipeline.ts';
import { RenderlineError } from '../../src/app/renderline-error.ts';
import { zeroAssetCounts } from '../../src/app/runs/run-shape.ts';
import type { ShownRun } from '../../src/app/runs/show-run.ts';
import { summarizePipelines } from '../../src/app/validate/pipeline-files.ts';
import { commandFailures } from '../../src/failures/commands.ts';
import { readRange } from '../../src/plan/helpers/lazy-list.ts';
import { sumPaid } from '../../src/plan/run/paid-work.ts';
import { pageHtml as reportFrame } from '../../src/report/page-html.ts';
import { DeliveredFiles } from '../../src/ui/delivered-files.ts';
import { createUiRoutes } from '../../src/ui/routes.ts';
import type { UiUseCases } from '../../src/ui/use-cases.ts';
import { folderWith } from '../cli/_folder.ts';
import { shownRun } from './_shown-run.ts';
import { ownVisitor } from './_visitor.ts';

export const port = 4030;
export const host = `127.0.0.1:${port}`;
export const base = '/ui-base/';
export const origin = `http://${host}`;
export const strange = `<script>alert("&'")</script>`;

export const pipeline = `name: sheets
description: Sheets of <b>all</b> models.
parameters:
  folder: { type: path, required: true, description: Where the models are. }
  size: { type: integer, default: 640, min: 16, max: 4096 }
  look: { type: enum, values: [Studio, Street], default: Studio }
  draft: { type: boolean, default: false }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
`;

/** The fields that the page contains. */
export const planFields = {
  schema: 'renderline/plan/v1',
  pipeline: 'sheets',
  assets: { total: 3, new: 2, changed: 1, unchanged: 0, refused: 0, later: 0 },
  startPoints: [{ startStage: 'delivery', assets: 1 }],
  renders: 3,
  max: false,
  withdraws: null,
  deletes: 0,
  requests: { total: 9, max: 9, byOperation: { createJob: 1 } },
  seconds: 61,
  canary: { assets: 2, timeoutMs: 3_600_000 },
  excess: [],
};
export const plan = planFields as unknown as PlanShape;

export const failure = {
  key: 'shoe',
  node: 'take',
  code: 'TRUNCATED',
  message: strange,
  attempts: 1,
  title: '',
  fix: null,
  docs: '',
};

export const going = shownRun({
  run: 'sheets-1',
  pipeline: 'sheets',
  outcome: 'paused',
  cause: { code: 'CANARY_WAITING', kind: 'later', message: 'waits', fix: '' },
  canary: { assets: 2, state: 'waiting', until: '2026-11-24T10:00:00Z' },
  assets: { ...zeroAssetCounts, total: 3, complete: 1, failed: 1 },
  files: [
    {
      key: strange,
      path: 'a/<b>.png',
      width: 64,
      height: 36,
      bytes: 1,
      sha256: '',
      output: 'o',
      delivery: 'd',
    },
  ],
  failures: [failure],
  requests: { total: 9, byOperation: {} },
  startPoints: [{ startStage: 'delivery', assets: 1 }],
  exports: [
    { node: 'deliver', destination: '/out', files: 1, failed: 0 },
    { node: 'shop', destination: '/shop', files: 0, failed: 1 },
  ],
  paid: { ...sumPaid([]), renders: 3, models: 2 },
  steps: [{ id: 'take', count: { waiting: 0, running: 1, done: 2, failed: 0 } }],
});

export const failures: FailuresShape = {
  schema: 'renderline/failures/v1',
  run: 'sheets-1',
  pipeline: 'sheets',
  state: 'running',
  cause: null,
  total: 1,
  rerunCommand: 'renderline rerun sheets-1 --failed',
  groups: [
    { ...failure, count: 1, keys: ['shoe'], rerunCommand: 'renderline rerun sheets-1 --failed' },
  ],
};

export const refusal = new RenderlineError(commandFailures.ENOENT, 'The folder is not there.', {
  fix: 'check the path',
});

export async function refuse(): Promise<never> {
  throw refusal;
}

/** `show` returns only the JSON shape: all runs deliver to one folder, unless there are `exports`. */
export type GivenUseCases = Partial<Omit<UiUseCases, 'show'>> & {
  show?: () => Promise<ShownRun['shape']>;
  exports?: ShownRun['exports'];
};

/** The pages for a folder with one pipeline, and the recorded calls of use cases. Missing use cases throw. */
export function pages({ show = refuse, exports = [], ...given }: GivenUseCases = {}) {
  const cwd = folderWith({
    'sheets.yaml': pipeline,
    'wrong.yaml': 'name: wrong\nnodes:\n  - { id: a, type: rendr }\n',
    'renderline.yaml': 'rateLimit: 600\n',
  });
  const asked: unknown[][] = [];
  const out = join(cwd, 'out');
  mkdirSync(join(out, 'a'), { recursive: true });
  writeFileSync(join(out, 'a', '<b>.png'), 'not a picture');
  writeFileSync(join(out, 'secret.txt'), 'secret');
  const reader = new App({ env: {}, cwd });
  const useCases: UiUseCases = {
    refuseEndedLink: refuse,
    pipelines: (paths) => summarizePipelines(reader, paths),
    choices: (parameters) => readChoices(reader, parameters),
    plan: refuse,
    start: refuse,
    list: refuse,
    show: async () => {
      const shape = await show();
      const paths = new Set((await readRange(shape.files)).map(({ path }) => path));
      return { shape, destinations: [{ type: 'local', path: out }], exports, paths };
    },
    failures: refuse,
    recentFailures: refuse,
    previewRecentRerun: refuse,
    rerunRecent: refuse,
    changedPictures: refuse,
    report: async (run, link) => {
      const body = `<a href="${link('a/<b>.png', undefined)}">${run}</a>`;
      return reportFrame({ title: run, style: 'a { color: red }', body });
    },
    approve: refuse,
    waiting: refuse,
    decide: refuse,
    control: refuse,
    previewRerun: refuse,
    rerun: refuse,
    ...given,
  };
  const recorded = new Proxy(useCases, {
    get:
      (target, name: keyof UiUseCases) =>
      (...values: never[]) => {
        if (name !== 'pipelines' && name !== 'choices') asked.push([name, ...values]);
        const act: (...all: never[]) => unknown = target[name];
        return act(...values);
      },
  });
  const app = createUiRoutes({
    useCases: recorded,
    files: new DeliveredFiles({}),
    paths: ['.'],
    visitor: ownVisitor(base),
  });
  const call = async (path: string, body?: Record<string, string>) => {
    const answer = await app.request(`${origin}${base}${path.slice(1)}`, {
      ...(body ? { method: 'POST', body: new URLSearchParams(body) } : {}),
      headers: { host, origin },
    });
    return {
      status: answer.status,
      location: answer.headers.get('location')?.replace(base, '/') ?? null,
      text: await answer.text(),
    };
  };
  return { asked, call, app };
}
