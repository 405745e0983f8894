// The pages with fake use cases: what they show, and which use cases they call.
import { describe, expect, test } from 'vitest';
import { markOfPicture, nameOfPicture } from '../../src/app/approvals/review.ts';
import type { PlanShape } from '../../src/app/plan/plan-pipeline.ts';
import { readRange } from '../../src/plan/helpers/lazy-list.ts';
import { folderWith } from '../cli/_folder.ts';
import { base, failures, going, host, origin, pages, plan, refusal, strange } from './_pages.ts';

describe('before a run', () => {
  test('the first page lists pipelines, with the problems of those that cannot run', async () => {
    const { text } = await pages().call('/');
    expect(text).toContain('href="pipeline?file=sheets.yaml"');
    expect(text).toContain('Sheets of &lt;b&gt;all&lt;/b&gt; models.');
    expect(text).toContain('Not valid, line 3: the node type &quot;rendr&quot; does not exist');
    expect(text).not.toContain('renderline.yaml');
  });

  test.each([
    ['a path', /<input[^>]+name="param\.folder"[^>]+required/s],
    ['a number, with its default', /<input[^>]+name="param\.size"[^>]+placeholder="640"/s],
    ['its bounds', /at least 16, at most 4096/],
    [
      'a choice',
      /<select[^>]+name="param\.look"[^>]*>\s*<option value="">as in the file: Studio<.*<option value="Street"\s*>Street</s,
    ],
    ['a yes/no choice', /<select[^>]+name="param\.draft".*<option value="true"\s*>true</s],
    ['a description', /Where the models are\./],
  ])('the form has a field for each parameter: %s', async (_what, shown) => {
    expect((await pages().call('/pipeline?file=sheets.yaml')).text).toMatch(shown);
  });

  test('the form requests the plan with only the filled-in values', async () => {
    const { asked, call } = pages({ plan: async () => ({ plan, notes: strange }) });
    const given = { 'param.folder': '--json', 'param.size': '', 'param.other': '1', force: '1' };
    const { status, text } = await call('/plan', { file: 'sheets.yaml', ...given });
    expect(status).toBe(200);
    expect(asked).toEqual([['plan', 'sheets.yaml', { folder: '--json' }]]);
    expect(text).toContain('3 assets: 2 new, 1 changed, 0 unchanged, 2 first, then your approval');
    expect(text).toContain('1 asset begins with the delivery: nothing is rendered');
    expect(text).toContain('<button class="main">Start</button>');
    expect(text).toContain('&lt;script&gt;alert(');
  });

  test('a body that is not a form is refused as such', async () => {
    const answer = await pages().app.request(`${origin}${base}plan`, {
      method: 'POST',
      body: 'x',
      headers: { host, origin, 'content-type': 'multipart/form-data; boundary=y' },
    });
    expect(answer.status).toBe(415);
    expect(await answer.text()).toContain('Send the form of a page of this server.');
  });

  test('the plan shows how much of the monthly quota is left', async () => {
    const month = { month: '2027-03', until: '2027-03-31T22:00:00.000Z', used: 8, left: 1 };
    const quota = { perMonth: 9, per: 'pipeline', timezone: 'Europe/Berlin', onBreach: 'wait' };
    const renderQuota = { ...quota, ...month, needed: 3, excess: 2 } as PlanShape['renderQuota'];
    const { call } = pages({ plan: async () => ({ plan: { ...plan, renderQuota }, notes: '' }) });
    const { text } = await call('/plan', { file: 'sheets.yaml' });
    expect(text).toContain('8 of 9 used, 1 left; the run needs 3, so 2 renders wait');
  });

  test('above its button, the plan shows what the run withdraws and deletes', async () => {
    const withdraws = { assets: 2, archived: 1, deleted: 3 } as PlanShape['withdraws'];
    const shown = { ...plan, withdraws, deletes: 4 };
    const { call } = pages({ plan: async () => ({ plan: shown, notes: '' }) });
    const [facts = ''] = (await call('/plan', { file: 'sheets.yaml' })).text.split('<button');
    expect(facts).toContain('1 file of 2 withdrawn assets goes to archive/');
    expect(facts).toContain('3 files of 2 withdrawn assets are deleted');
    expect(facts).toContain('earlier versions of 4 changed files on the platform');
  });

  test('a plan above its limits is shown without a start button', async () => {
    const excess = [{}] as PlanShape['excess'];
    const { call } = pages({ plan: async () => ({ plan: { ...plan, excess }, notes: '' }) });
    const { text } = await call('/plan', { file: 'sheets.yaml', 'param.folder': 'models' });
    expect(text).not.toContain('>Start<');
    expect(text).toContain('would exceed the limits');
  });

  test.each([['/plan'], ['/start']])(
    '%s shows a refusal above the form, which keeps its values',
    async (path) => {
      const { status, text } = await pages().call(path, {
        file: 'sheets.yaml',
        'param.folder': 'nowhere',
      });
      expect(status).toBe(422);
      expect(text).toContain('The folder is not there.');
      expect(text).toContain('value="nowhere"');
    },
  );

  test('a start redirects to the run', async () => {
    const { asked, call } = pages({ start: async () => 'sheets-1' });
    const { status, location } = await call('/start', { file: 'sheets.yaml', 'param.folder': 'm' });
    expect([status, location]).toEqual([303, '/runs/sheets-1']);
    expect(asked).toEqual([['start', 'sheets.yaml', { folder: 'm' }]]);
  });

  test.each(['../sheets.yaml', 'wrong.yaml', '/etc/passwd', ''])(
    'a file that the pages do not offer is refused: %j',
    async (file) => {
      const { asked, call } = pages();
      for (const path of ['/plan', '/start']) {
        expect((await call(path, { file })).status).toBe(404);
      }
      expect(asked).toEqual([]);
    },
  );
});

describe('a run', () => {
  const played = { show: async () => going, failures: async () => failures };

  test('the page of a run shows its pictures, failures and steps, and requests an approval', async () => {
    const { text } = await pages(played).call('/runs/sheets-1');
    expect(text).toContain('The run is waiting for your approval');
    expect(text).toContain('action="runs/sheets-1/approve"');
    expect(text).toContain('TRUNCATED');
    expect(text).toContain('1 asset begins with the delivery: nothing is rendered');
    expect(text).toContain('0 files in /shop, 1 asset failed');
    expect(text).toContain('alt="&lt;script&gt;');
    expect(text).toContain('data-live');
    expect(text).not.toContain('<script>alert');
  });

  test.each(['/runs/sheets-1', '/runs/sheets-1?part=view'])(
    'names on %s cannot change the direction of text or control a terminal',
    async (path) => {
      const files = (await readRange(going.files)).map((file) => ({
        ...file,
        key: 'a\u202egnp\u2066\u001b[31m\u009bb',
      }));
      const show = async () => ({ ...going, files });
      const { text } = await pages({ ...played, show }).call(path);
      expect(text).toContain('alt="agnp[31mb"');
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    },
  );

  test('the page of a run links to the pictures that wait for a decision', async () => {
    const wait = { step: 'look', assets: 3, since: '2026-11-24T10:00:00Z' };
    const waits = [
      { ...wait, for: 'a person to approve' },
      { ...wait, step: 'shots', for: 'the platform to render' },
    ];
    const { call } = pages({ ...played, show: async () => ({ ...going, canary: null, waits }) });
    expect((await call('/runs/sheets-1')).text).toMatch(
      /3 assets are waiting for your decision.*href="runs\/sheets-1\/review"/s,
    );
  });

  const cause = {
    code: 'PICTURES_CHANGED',
    kind: 'later',
    message: '1 new picture differs',
    fix: '',
  } as const;
  const held = async () => ({ ...going, cause, canary: null, failures: [] });

  test('the page of a run shows changed pictures before and after, and requests a decision', async () => {
    const picture = {
      key: 'a',
      path: strange,
      change: 0.34,
      verdict: 'approve' as const,
      before: 'b2xk',
      after: 'bmV3',
    };
    const { asked, call } = pages({
      show: held,
      changedPictures: async () => [picture],
    });
    const { text } = await call('/runs/sheets-1');
    expect(asked).toContainEqual(['changedPictures', 'sheets-1']);
    expect(asked).not.toContainEqual(['failures', 'sheets-1']);
    expect(text).toMatch(/base64,b2xk" alt="Before".*base64,bmV3" alt="After"/s);
    expect(text).toContain('34% changed');
    expect(text).toContain(`name="seen" value="${markOfPicture(picture)}"`);
    // An update of the page must not reuse the element of a picture for the one that replaces it.
    expect(text).toContain(`data-key="changed ${markOfPicture(picture)}"`);
    expect(text).toMatch(
      /action="runs\/sheets-1\/approve".*name="reject".*name="reason".*Deliver 1 picture, except/s,
    );
    expect(text).not.toContain('/resume"');
    expect(text).not.toContain('<script>alert');
  });

  test('the page of a run offers to resume when all changed pictures are decided', async () => {
    const { call } = pages({ show: held, changedPictures: async () => [] });
    const { text } = await call('/runs/sheets-1');
    expect(text).toMatch(
      /All changed pictures are decided.*\/approve".*name="seen" value="".*Continue/s,
    );
    expect(text).not.toContain('Deliver 0');
  });

  test('the page of a run shows why changed pictures cannot be read, and requests no decision on them', async () => {
    const { text } = await pages({ show: held }).call('/runs/sheets-1');
    expect(text).toContain(refusal.message);
    expect(text).not.toContain('/approve"');
  });

  test('an approval contains the shown changed pictures and the rejected ones', async () => {
    const { asked, call } = pages({ approve: async () => [] });
    const name = nameOfPicture({ key: 'a', path: strange });
    const body = { reject: name, reason: ' too dark ', seen: 'a1.b2' };
    const { status, location } = await call('/runs/sheets-1/approve', body);
    expect([status, location]).toEqual([303, '/runs/sheets-1']);
    const seen = new Set(['a1', 'b2']);
    const approval = { rejected: new Set([name]), reason: 'too dark', seen };
    expect(asked).toEqual([['approve', 'sheets-1', approval]]);
  });

  test('the page of a run shows an earlier decision to a person who decides later', async () => {
    const first = { key: 'a', node: 'deliver', outcome: 'approved', by: strange, at: '' } as const;
    const { call } = pages({ approve: async () => [first] });
    const { status, text } = await call('/runs/sheets-1/approve', { seen: 'a1', reject: 'a' });
    expect(status).toBe(200);
    expect(text).toMatch(
      /Somebody else has already decided about these assets.*<b>a<\/b> approved by &lt;script&gt;/s,
    );
    expect(text).toMatch(/Your other decisions.*<a href="runs\/sheets-1">Show the run<\/a>/s);
  });

  test.each([
    ['approve', ['approve', 'sheets-1', { rejected: new Set(), seen: null, reason: undefined }]],
    ['pause', ['control', 'pause', 'sheets-1']],
    ['resume', ['control', 'resume', 'sheets-1']],
    ['cancel', ['control', 'cancel', 'sheets-1']],
  ])('the action %s calls the use case of that name', async (action, useCase) => {
    const { asked, call } = pages({ approve: async () => [], control: async () => {} });
    const { status, location } = await call(`/runs/sheets-1/${action}`, {});
    expect([status, location, asked]).toEqual([303, '/runs/sheets-1', [useCase]]);
  });

  test('the page of a run shows why an action was refused', async () => {
    const { status, text } = await pages().call('/runs/sheets-1/pause', {});
    expect([status, text]).toEqual([409, expect.stringContaining('check the path')]);
  });

  test('the page of a run is shown even if its failures cannot be read', async () => {
    const { status, text } = await pages({ show: async () => going }).call('/runs/sheets-1');
    expect([status, text]).toEqual([200, expect.stringContaining('1 of 3 complete')]);
  });

  test.each(['clean', 'show', '__proto__'])('the unknown action %s is refused', async (action) => {
    const { asked, call } = pages();
    expect((await call(`/runs/sheets-1/${action}`, {})).status).toBe(404);
    expect(asked).toEqual([]);
  });

  test.each([
    ['a file of the run', 'a/<b>.png', 200],
    ['another file of its folder', 'secret.txt', 404],
    ['a file outside the folder', '../../etc/passwd', 404],
  ])('the address of %s (%s) has status %i', async (_what, path, status) => {
    const { call } = pages(played);
    const got = await call(`/runs/sheets-1/file/${encodeURIComponent(path)}`);
    expect(got.status).toBe(status);
    expect(got.text).not.toContain('secret');
  });

  test('both files that two exports delivered at the same path are served', async () => {
    const [file] = await readRange(going.files);
    if (file === undefined) throw new Error('the run has no file');
    const exports = ['web', 'shop'].map((node) => {
      const location = { type: 'local', path: folderWith({ 'a.txt': `of ${node}` }) };
      return { node, delivery: node, location };
    });
    const files = ['web', 'shop.row'].map((delivery) => ({ ...file, path: 'a.txt', delivery }));
    const { call } = pages({ show: async () => ({ ...going, files }), exports });
    const links = (await call('/runs/sheets-1')).text.matchAll(/<a href="([^"]*a\.txt[^"]*)"/g);
    const texts = [...links].map(async ([, link = '']) => (await call(`/${link}`)).text);
    expect(await Promise.all(texts)).toEqual(['of web', 'of shop']);
  });

  test('the report of a run has its own CSP, and cannot be framed', async () => {
    const { app } = pages(played);
    const answer = await app.request(`${origin}${base}runs/sheets-1/report`, { headers: { host } });
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*style-src 'sha256-[^']+'; .*frame-ancestors 'none'$/,
    );
    expect(await answer.text()).toContain(
      `href="${base}runs/sheets-1/file/a/%3Cb%3E.png">sheets-1<`,
    );
  });

  test('a run that does not exist has no report', async () => {
    const { status, text } = await pages().call('/runs/none/report');
    expect([status, text]).toEqual([404, expect.stringContaining(refusal.message)]);
  });

  test('a file that is not a picture has no thumbnail', async () => {
    const path = encodeURIComponent('a/<b>.png');
    const got = await pages(played).call(`/runs/sheets-1/file/${path}?small=1`);
    expect(got.status).toBe(404);
  });
});
