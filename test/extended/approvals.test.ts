// Decisions about single assets on the command line, at an `approval` node and about changed pictures: a person
// approves some and rejects some, the worker is killed meanwhile, and a rejected asset is rendered again by a rerun.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import { nameOfWaiting } from '../../src/app/runs/waiting-assets.ts';
import { verdictPrefix } from '../../src/ui/review-page.ts';
import { serveUi } from '../../src/ui/server.ts';
import { runInProcess } from '../system/_in-process.ts';
import { names, smallModel, writeModels } from '../system/_models.ts';
import {
  createdBetween,
  createPipelineFolder,
  errorOf,
  expectPictures,
  type PipelineFolder,
  reportOf,
  startRun,
  useProductWith,
} from '../system/_runs.ts';
import { startWorkerProcess, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
// Its pictures show the models, so that another colour changes them.
const product = useProductWith(temporal, ['--speed', '20'], startWorkerProcess);

/** Files below a folder, without records. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return entries.filter((path) => path.endsWith('.png') && !path.startsWith('.')).sort();
}

/** Puts an approval between the render and the export. */
async function withApproval(place: PipelineFolder): Promise<string> {
  const text = await readFile(place.file, 'utf8');
  const judge =
    '  - { id: judge, type: approval, parentIds: [shots], config: { review: review } }\n';
  await writeFile(
    place.file,
    text
      .replace('nodes:\n', `  review: { type: local, path: "\${{ params.out }}-review" }\nnodes:\n`)
      .replace('  - id: deliver\n', `${judge}  - id: deliver\n`)
      .replace(
        'parentIds: [shots]\n    config: { connector',
        'parentIds: [judge]\n    config: { connector',
      ),
  );
  return `${place.out}-review`;
}

test('a person approves some pictures and rejects some; a rerun renders the rejected ones again', async () => {
  const { env, sandbox } = product;
  const place = await createPipelineFolder('approvals');
  const review = await withApproval(place);
  const keys = names('approvals', 4);
  const [first = '', second = '', ...others] = keys;
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();

  // A command that follows the run ends, without an error, when only people can advance the run.
  const asked = errorOf(await startRun(place, env).finished, 7);
  expect(asked.code).toBe('APPROVAL_WAITING');
  expect(asked.message).toContain('4 assets are waiting for a decision on their pictures');
  const run = asked.run ?? '';
  expect(asked.fix).toContain(`renderline approve ${run}`);
  const shown = (await filesIn(review)).map((path) => path.split('/').slice(0, 3).join('/'));
  expect(shown).toEqual(keys.map((key) => `pictures/judge/${key}`));
  expect(await filesIn(place.out)).toEqual([]);

  await product.worker.stop('SIGKILL');
  const worker = await startWorkerProcess(env);
  const approve = (...options: string[]) =>
    runInProcess(['approve', run, '--yes', '--json', ...options], env);
  expect(errorOf(await approve('--reject', 'true'), 2).code).toBe('REJECTED_WITHOUT_REASON');
  const some = await approve('--only', first);
  expect(JSON.parse(some.stdout), some.stderr).toMatchObject({
    schema: 'renderline/approve/v1',
    approved: 'now',
    decided: { approved: 1, rejected: 0, waiting: 3 },
  });
  // A second decision about the same asset finds nothing to decide.
  const twice = await approve('--only', first, '--reject', 'true', '--reason', 'too dark');
  expect(errorOf(twice, 5).code).toBe('NO_MATCH');
  // Approved pictures are delivered while the others wait.
  await waitUntil('the approved picture is delivered', async () => {
    return (await filesIn(place.out)).length === 1;
  });
  expect(await filesIn(place.out)).toEqual([`${first}.png`]);
  await waitUntil('its copy is gone', async () => (await filesIn(review)).length === 3);

  await approve('--reject', `key == "${second}"`, '--reason', 'too dark');
  const ended = reportOf(await runInProcess(['show', run, '--wait', '--json'], env), 3);
  await expectPictures(ended, [first, ...others]);
  expect(ended.failures).toMatchObject([
    {
      key: second,
      node: 'judge',
      code: 'APPROVAL_REJECTED',
      message: expect.stringMatching(/: too dark$/),
    },
  ]);
  expect(await filesIn(review)).toEqual([]);
  expect(createdBetween(before, await sandbox.stats()).renderJobs).toBe(4);

  const report = await runInProcess(['report', run, '--format', 'json', '--output', '-'], env);
  const { decisions, outputs, people } = JSON.parse(report.stdout) as {
    decisions: object[];
    outputs: { key: string; decision: object }[];
    people: { what: string }[];
  };
  expect(decisions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ node: 'judge', outcome: 'approved', reason: null, assets: 3 }),
      expect.objectContaining({ outcome: 'rejected', reason: 'too dark', assets: 1 }),
    ]),
  );
  expect(outputs.find(({ key }) => key === second)?.decision).toMatchObject({
    outcome: 'rejected',
    by: expect.stringContaining('@'),
    reason: 'too dark',
  });
  expect(people.map(({ what }) => what)).toEqual(['started', 'decided', 'decided']);

  const again = errorOf(
    await runInProcess(['rerun', run, '--failed', '--yes', '--wait', '--json'], env),
    7,
  );
  expect(createdBetween(before, await sandbox.stats()).renderJobs).toBe(5);
  await runInProcess(['approve', again.run ?? '', '--yes'], env);
  const repaired = await runInProcess(['show', again.run ?? '', '--wait', '--json'], env);
  await expectPictures(reportOf(repaired), [second]);
  await worker.stop();
});

test('two people decide through links, each only once and under their own name', async () => {
  const place = await createPipelineFolder('links');
  const review = await withApproval(place);
  const keys = names('links', 3);
  const [first = '', second = ''] = keys;
  await writeModels(place.folder, keys);
  const config = join(place.folder, '..', 'links-team.yaml');
  await writeFile(config, 'ui: { origin: "https://renderline.studio.example" }\n');
  const key = 'the key of links in this test, long enough';
  const env = { ...product.env, RENDERLINE_CONFIG: config, RENDERLINE_LINK_KEY: key };
  const worker = await startWorkerProcess(env);
  const { run = '' } = errorOf(await startRun(place, env).finished, 7);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const app = new App({ env, cwd: place.folder });
  // Two servers share the work, as behind a load balancer.
  const serve = () => serveUi(app, { paths: ['.'], port: 0, signal: stop.signal });
  const [server, another] = [await serve(), await serve()];
  onTestFinished(() => Promise.all([server.stop(), another.stop()]).then(() => undefined));

  /** Creates a link for a person, and visits its pages as a browser does. */
  const invite = async (person: string) => {
    const made = await runInProcess(['link', run, '--for', person, '--json'], env);
    const { url } = JSON.parse(made.stdout) as { url: string };
    const origin = new URL(url).origin;
    const visit = async (path: string, body?: Record<string, string>, at = server) => {
      const sent = body && { method: 'POST', body: new URLSearchParams(body), headers: { origin } };
      const answer = await fetch(new URL(`${new URL(url).pathname}${path}`, at.shape.url), sent);
      return { status: answer.status, text: await answer.text() };
    };
    return { visit, token: url.split('/')[4] ?? '' };
  };
  const decideOn = (asset: string, verdict: string) => ({
    [`${verdictPrefix}${nameOfWaiting({ node: 'judge', key: asset })}`]: verdict,
  });
  const page = `runs/${run}/review`;
  const [berta, carl, dora] = [
    await invite('Berta Lang'),
    await invite('Carl <b>'),
    await invite('Dora'),
  ];

  const opened = await berta.visit('');
  expect(opened.status).toBe(200);
  expect(opened.text).toMatch(/Berta Lang.*3 assets are waiting for your decision/s);
  // The page of the run refreshes its view. Only opening the page leads to the pictures.
  expect((await dora.visit(`runs/${run}?part=view`)).text).toContain('<div id="view"');
  const pictures = await berta.visit(page);
  const [, picture = ''] = /<img [^>]*src="([^"]+)"/.exec(pictures.text) ?? [];
  expect((await berta.visit(picture)).status).toBe(200);
  const shown = (await carl.visit(page)).text;
  expect(shown).toContain('Carl &lt;b&gt;');

  // A refused decision does not use up the link.
  const forgotten = await berta.visit(page, decideOn(first, 'reject'));
  expect([forgotten.status, forgotten.text]).toEqual([409, expect.stringContaining('--reason')]);
  const sent = await berta.visit(page, { ...decideOn(first, 'reject'), reason: 'too dark' });
  expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('Thank you')]);
  for (const again of [page, picture, `runs/${run}`])
    expect(await berta.visit(again)).toMatchObject({ status: 409 });
  for (const at of [server, another]) {
    const replayed = await berta.visit(page, decideOn(second, 'approve'), at);
    expect([replayed.status, replayed.text]).toEqual([
      409,
      expect.stringContaining('This link has already been used'),
    ]);
  }

  const both = { ...decideOn(first, 'approve'), ...decideOn(second, 'reject') };
  const late = await carl.visit(page, {
    ...both,
    reason: 'wrong wood',
    rest: 'approve',
    seen: /name="seen" value="([^"]*)"/.exec(shown)?.[1] ?? '',
  });
  expect(late.text).toMatch(/Somebody else has already decided about these assets.*too dark/s);
  const ended = reportOf(await runInProcess(['show', run, '--wait', '--json'], env), 3);
  expect(ended.failures.map(({ key: asset, code }) => `${asset} ${code}`).sort()).toEqual([
    `${first} APPROVAL_REJECTED`,
    `${second} APPROVAL_REJECTED`,
  ]);
  expect(await filesIn(review)).toEqual([]);
  for (const path of ['', page])
    expect(await dora.visit(path)).toMatchObject({
      status: 409,
      text: expect.stringContaining('nothing is waiting for your decision'),
    });
  const audit = await runInProcess(['audit', '--run', run, '--json'], env);
  expect(audit.stdout).toContain('"by":"Berta Lang"');
  const report = await runInProcess(['report', run, '--format', 'json', '--output', '-'], env);
  expect(report.stdout).toContain('"by":"Carl <b>@');
  // Histories, records and reports have no token and no key with which a reader could open a page.
  const stored = await readdir(place.folder, { recursive: true, withFileTypes: true });
  const texts = stored
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
  for (const text of [audit.stdout, report.stdout, ...(await Promise.all(texts))]) {
    for (const secret of [berta.token, carl.token, key]) expect(text).not.toContain(secret);
  }
  await worker.stop();
});

test('a rejected asset is rendered again while the others still wait', async () => {
  const { env, sandbox } = product;
  const worker = await startWorkerProcess(env);
  const place = await createPipelineFolder('at-once');
  const review = await withApproval(place);
  const keys = names('at-once', 2);
  const [first = '', second = ''] = keys;
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();
  const { run = '' } = errorOf(await startRun(place, env).finished, 7);
  const call = (...command: string[]) => runInProcess(command, env);
  await call('approve', run, '--yes', '--only', second, '--reject', 'true', '--reason', 'dark');
  expect(errorOf(await call('rerun', run, '--json'), 2).fix).toContain(`rerun ${run} --failed`);
  const rerun = ['rerun', run, '--failed', '--json'];
  await waitUntil('the result of the rejected asset is written', async () => {
    const { preview } = JSON.parse((await call(...rerun, '--dry-run')).stdout) as {
      preview: { assets: number } | null;
    };
    return preview?.assets === 1;
  });
  const asked = errorOf(await call(...rerun, '--yes', '--wait'), 7);
  expect(createdBetween(before, await sandbox.stats()).renderJobs).toBe(3);
  expect(await filesIn(review)).toHaveLength(2);
  await call('approve', asked.run ?? '', '--yes');
  const repaired = reportOf(await call('show', asked.run ?? '', '--wait', '--json'));
  await expectPictures(repaired, [second]);

  await call('approve', run, '--yes');
  const ended = reportOf(await call('show', run, '--wait', '--json'), 3);
  await expectPictures(ended, [first]);
  await worker.stop();
});

test('a person approves some changed pictures and rejects others, one after the other', async () => {
  const { env, sandbox } = product;
  const worker = await startWorkerProcess(env);
  const place = await createPipelineFolder('changed');
  const keys = names('changed', 3);
  const [first = '', second = ''] = keys;
  const pictureOf = (key: string) => readFile(join(place.out, `${key}.png`));
  await writeModels(place.folder, keys);
  await expectPictures(reportOf(await startRun(place, env).finished), keys);
  const [firstBefore, secondBefore] = [await pictureOf(first), await pictureOf(second)];

  const text = await readFile(place.file, 'utf8');
  const naming = 'naming: "{{ key }}.{{ ext }}"';
  await writeFile(place.file, text.replace(naming, `${naming}, accept: { change: "<1%" }`));
  for (const key of [first, second])
    await writeFile(join(place.folder, `${key}.glb`), smallModel(key, { color: '#1020f0' }));
  const asked = errorOf(await startRun(place, env).finished, 7);
  expect(asked.code).toBe('PICTURES_CHANGED');
  const run = asked.run ?? '';
  const approve = (...options: string[]) =>
    runInProcess(['approve', run, '--yes', '--json', ...options], env);
  expect(errorOf(await approve('--reject', 'true'), 2).code).toBe('REJECTED_WITHOUT_REASON');
  expect(errorOf(await approve('--only', 'nothing'), 5).code).toBe('NO_MATCH');

  const some = await approve('--only', second, '--reject', 'true', '--reason', 'wrong blue');
  expect(JSON.parse(some.stdout), some.stderr).toMatchObject({
    approved: 'now',
    decided: { approved: 0, rejected: 1, waiting: 1 },
  });
  // The other picture still waits, so the run pauses again.
  expect(errorOf(await runInProcess(['show', run, '--wait', '--json'], env), 7).code).toBe(
    'PICTURES_CHANGED',
  );
  await approve();
  const ended = reportOf(await runInProcess(['show', run, '--wait', '--json'], env), 3);
  const message = expect.stringMatching(/: wrong blue; the old picture is still in place$/);
  expect(ended.failures).toMatchObject([
    { key: second, node: 'deliver', code: 'APPROVAL_REJECTED', message },
  ]);
  expect(await pictureOf(second)).toEqual(secondBefore);
  expect(await pictureOf(first)).not.toEqual(firstBefore);

  const report = await runInProcess(['report', run, '--format', 'json', '--output', '-'], env);
  const { decisions, people } = JSON.parse(report.stdout) as {
    decisions: object[];
    people: { what: string }[];
  };
  expect(decisions).toMatchObject([
    { node: 'deliver', outcome: 'approved', reason: null, assets: 1 },
    { node: 'deliver', outcome: 'rejected', reason: 'wrong blue', assets: 1 },
  ]);
  expect(people.map(({ what }) => what)).toEqual(['started', 'decided', 'approved']);

  const before = await sandbox.stats();
  const rerun = ['rerun', run, '--failed', '--yes', '--wait', '--json'];
  expect(errorOf(await runInProcess(rerun, env), 7).code).toBe('PICTURES_CHANGED');
  expect(createdBetween(before, await sandbox.stats()).renderJobs).toBe(1);
  await worker.stop();
});
