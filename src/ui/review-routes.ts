// The routes to approve and reject the pictures of a run, and to serve these pictures.
import type { Hono } from 'hono';
import type { ApprovalVerdict } from '../app/approvals/verdicts.ts';
import type { WaitingAsset } from '../app/runs/waiting-assets.ts';
import { groupBy } from '../plan/helpers/group-by.ts';
import { securityHeaders } from './access.ts';
import { runAddress } from './addresses.ts';
import type { DeliveredFiles } from './delivered-files.ts';
import { parseSeen, readPageNumber } from './layout.ts';
import { createThrower, renderNotFound, renderPage } from './responses.ts';
import {
  connectorIdOf,
  createSentPage,
  reviewAddress,
  reviewPage,
  verdictPrefix,
} from './review-page.ts';
import type { UiUseCases } from './use-cases.ts';
import type { Visitor } from './visitor.ts';

interface ReviewDeps {
  useCases: UiUseCases;
  files: DeliveredFiles;
  visitor: Visitor;
}

const possibleVerdicts: readonly ApprovalVerdict[] = ['approve', 'reject', 'wait'];

export function addReviewRoutes(app: Hono, deps: ReviewDeps): void {
  const { useCases, files } = deps;
  const { base, link } = deps.visitor;
  const load = async (run: string, condition?: string): Promise<WaitingAsset[]> => {
    const waitingAssets = await useCases.waiting(run, condition).catch(createThrower(404));
    setReviewFiles(deps, run, waitingAssets);
    return waitingAssets;
  };
  app.get('/runs/:run/review', async (c) => {
    const run = c.req.param('run');
    const page = readPageNumber(c.req.query('page'));
    const where = c.req.query('where')?.trim() ?? '';
    const waitingAssets = await load(run, where === '' ? undefined : where);
    return renderPage(c, reviewPage({ waiting: waitingAssets, page, where, link }, run));
  });
  app.get('/runs/:run/review/file/:place/:path{.+}', async (c) => {
    const { run, place, path } = c.req.param();
    const name = `${run} ${place}`;
    if (!files.has(name, path)) await load(run);
    const isPreview = c.req.query('preview') !== undefined;
    const file = await (isPreview ? files.preview(name, path) : files.read(name, path));
    if (file === null) return renderNotFound(c);
    const headers = { ...securityHeaders, 'content-type': file.type };
    return c.body(new Uint8Array(file.bytes), 200, headers);
  });
  app.post('/runs/:run/approve', async (c) => {
    const run = c.req.param('run');
    const fields = await c.req.parseBody({ all: true });
    const { reject = [], reason } = fields;
    const rejectedNames = new Set([reject].flat().map(String));
    const approval = { rejected: rejectedNames, seen: parseSeen(fields), reason: textOf(reason) };
    const earlierDecisions = await useCases.approve(run, approval).catch(createThrower(409));
    if (link || earlierDecisions.length > 0)
      return renderPage(c, createSentPage(earlierDecisions, run, link));
    return c.redirect(`${base}${runAddress(run)}`, 303);
  });
  app.post('/runs/:run/review', async (c) => {
    const run = c.req.param('run');
    const fields = await c.req.parseBody();
    const verdicts = new Map(
      Object.entries(fields).flatMap(([field, value]) => {
        const verdict = possibleVerdicts.find((name) => name === value);
        return field.startsWith(verdictPrefix) && verdict !== undefined
          ? [[field.slice(verdictPrefix.length), verdict] as const]
          : [];
      }),
    );
    const [reason, where] = [textOf(fields['reason']), textOf(fields['where'])];
    const restVerdict: ApprovalVerdict = fields['rest'] === 'approve' ? 'approve' : 'wait';
    const seenMarks = parseSeen(fields) ?? new Set<string>();
    const decisions = { verdicts, rest: restVerdict, seen: seenMarks, where, reason };
    const earlierDecisions = await useCases.decide(run, decisions).catch(createThrower(409));
    if (link) return renderPage(c, createSentPage(earlierDecisions, run, link));
    if (earlierDecisions.length > 0) {
      const waitingAssets = await load(run);
      return renderPage(
        c,
        reviewPage({ waiting: waitingAssets, page: 1, where: '', earlier: earlierDecisions }, run),
      );
    }
    return c.redirect(`${base}${reviewAddress(run)}`, 303);
  });
}

function textOf(field: unknown): string | undefined {
  return typeof field === 'string' && field.trim() !== '' ? field.trim() : undefined;
}

/** Registers the pictures of waiting assets, and those that they would replace. No other pictures are served. */
function setReviewFiles(
  { files }: ReviewDeps,
  run: string,
  waitingAssets: readonly WaitingAsset[],
): void {
  const shownPictures = waitingAssets.flatMap(({ review, pictures }) =>
    pictures.flatMap(({ path, before }) => [
      { connector: review, path },
      ...(before ? [before] : []),
    ]),
  );
  for (const [id, pictures] of groupBy(shownPictures, ({ connector }) =>
    connectorIdOf(connector),
  )) {
    const [first] = pictures;
    if (first === undefined) continue;
    const paths = new Set(pictures.map(({ path }) => path));
    files.setRunFiles(`${run} ${id}`, { destinations: [first.connector], paths });
  }
}
