// The page at /: its contents, its updates, and the escaping of texts.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatSize } from '../../src/page/view.ts';
import { createModel, createProject, finishRender, readyModel, startRender } from '../_flows.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

async function read(path: string) {
  const response = await sandbox.request(path);
  return { response, status: response.status, text: await response.text() };
}

/** Paths of all pictures and files in a view. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/(?:src|href|poster)="(\/cdn\/[^"]+)"/g)].flatMap(
    ([, path]) => path ?? [],
  );
}

const markOf = (text: string) => /id="view" data-mark="([^"]+)"/.exec(text)?.[1] ?? '';
const keysOf = (text: string) => [...text.matchAll(/data-key="([^"]+)"/g)].map(([, key]) => key);

async function fill() {
  const modelId = await readyModel(sandbox, 'chair.glb', triangleGlb());
  const projectId = await createProject(sandbox, [modelId], { templateId: 'tpl-turntable' });
  const { jobId } = await startRender(sandbox, [projectId], {
    imageQuality: 0,
    videoCustomResolution: true,
    videoCustomWidth: 64,
    videoCustomHeight: 36,
  });
  await finishRender(sandbox, jobId);
  return { modelId, projectId };
}

describe('the contents of the page', () => {
  const empty = ['renders', 'projects', 'models', 'props', 'decals', 'materials', 'production'];
  test.each(empty)('the page says that the view of %s is empty', async (view) => {
    const { status, text } = await read(`/?view=${view}`);
    expect(status).toBe(200);
    expect(text).toContain('Nothing here yet.');
    expect(text).toContain(`href="/?view=${view}" aria-current="page"`);
  });

  test.each(['renders', 'projects', 'models'])(
    'the page shows pictures of %s, and these can be loaded',
    async (view) => {
      await fill();
      const { text } = await read(`/?view=${view}`);
      const links = linksOf(text);
      expect(links.length).toBeGreaterThan(0);
      for (const link of links)
        expect([link, (await sandbox.request(link)).status]).toEqual([link, 200]);
    },
  );

  test('the page shows videos with a player and a poster', async () => {
    await fill();
    expect((await read('/')).text).toMatch(
      /<video[^>]+poster="\/cdn\/[^"]+thumbnail.jpeg"[^>]+src="\/cdn\/[^"]+\.mp4"/s,
    );
  });

  test('the page shows props of the library', async () => {
    const { body } = await sandbox.call<{ props: { propId: string; uploadUrl: string }[] }>(
      'POST /props',
      { props: [{ fileName: 'vase.glb', collection: 'Spring' }] },
    );
    const [prop] = body.props;
    await sandbox.put(prop?.uploadUrl ?? '', triangleGlb());
    await sandbox.call(`POST /props/${prop?.propId}/confirm`);
    expect((await read('/?view=props')).text).toContain('no picture');
    sandbox.advance(60);
    const { text } = await read('/?view=props');
    expect(text).toContain('in Spring');
    expect((await sandbox.request(linksOf(text)[0] ?? '')).status).toBe(200);
  });

  test('the page shows production files, with a picture that links to the PDF', async () => {
    const modelId = await readyModel(sandbox, 'chair.glb', triangleGlb());
    await createProject(sandbox, [modelId]);
    const { body } = await sandbox.call<{ variants: { variantId: string }[] }>(
      `GET /models/${modelId}/variants`,
    );
    const [variant] = body.variants;
    const made = await sandbox.call<{ documentNumber: string }>(
      `POST /models/${modelId}/production-files`,
      { variantIds: [variant?.variantId] },
    );
    expect(made.status).toBe(201);
    const { text } = await read('/?view=production');
    expect(text).toContain(`${made.body.documentNumber} · chair`);
    const [, link = ''] = /href="(\/_page\/production-files\/[^"]+)"/.exec(text) ?? [];
    const hop = await sandbox.request(link);
    expect(hop.status).toBe(302);
    const pdf = await sandbox.request(hop.headers.get('location') ?? '');
    expect((await pdf.text()).slice(0, 5)).toBe('%PDF-');
    const picture = await sandbox.request(`${link}/picture`);
    expect(picture.headers.get('content-type')).toBe('image/jpeg');
    expect((await sandbox.request('/_page/production-files/none')).status).toBe(404);
    expect((await sandbox.request('/_page/production-files/none/picture')).status).toBe(404);
  });

  test('the page shows why a model failed, without a picture', async () => {
    await readyModel(sandbox, 'broken.glb', Buffer.from('nonsense'));
    const { text } = await read('/?view=models');
    expect(text).toContain('FAILED');
    expect(text).toContain('it is not a binary glTF');
    expect(linksOf(text)).toEqual([]);
  });

  test('the page shows the number of queued render jobs', async () => {
    const projectId = await createProject(sandbox, [await readyModel(sandbox)]);
    await startRender(sandbox, [projectId]);
    expect((await read('/')).text).toContain('Render jobs: 1 queued');
  });
});

describe('a view of many models', () => {
  beforeEach(async () => {
    for (let first = 0; first < 100; first += 50) {
      const models = Array.from({ length: 50 }, (_, index) => ({
        fileType: 'glb',
        name: `chair ${first + index}`,
      }));
      await sandbox.call('POST /models', { models });
    }
  });

  test('a view of many models shows each model on one page, newest first', async () => {
    const pages = await Promise.all(
      [1, 2, 3].map(async (page) => keysOf((await read(`/?view=models&page=${page}`)).text)),
    );
    expect(pages.map(({ length }) => length)).toEqual([48, 48, 4]);
    const listed = await sandbox.call<{ models: { modelId: string }[] }>('GET /models?limit=100');
    expect(pages.flat()).toEqual(listed.body.models.map(({ modelId }) => modelId));
  });

  test.each([
    ['0', 1],
    ['-1', 1],
    ['x', 1],
    ['1.5', 1],
    ['999', 3],
  ])('a request for the page %s shows the page %i', async (page, shown) => {
    const { text } = await read(`/?view=models&page=${page}`);
    expect(text).toContain(`<span>${shown} of 3</span>`);
  });

  test('a search filters the view, and the page links keep the search', async () => {
    const { text } = await read('/?view=models&search=CHAIR+9');
    expect(keysOf(text)).toHaveLength(11);
    expect(text).toContain('11 names contain “CHAIR 9”');
    expect((await read('/?view=models&search=chair')).text).toContain(
      'href="/?view=models&amp;search=chair&amp;page=2"',
    );
    expect((await read('/?view=models&search=sofa')).text).toContain('No name contains this text.');
  });
});

describe('an update', () => {
  test('an update is empty if nothing has changed, and contains the view after a change', async () => {
    await createModel(sandbox);
    const { text } = await read('/?view=models');
    const path = `/_page/view?view=models&have=${markOf(text)}`;
    expect(await read(path)).toMatchObject({ status: 204, text: '' });
    await createModel(sandbox);
    const changed = await read(path);
    expect(changed.status).toBe(200);
    expect(keysOf(changed.text)).toHaveLength(2);
    expect(markOf(changed.text)).not.toBe(markOf(text));
  });

  test('an update contains a status that changes only with time', async () => {
    const before = await readyModel(sandbox);
    sandbox.now -= 6_000;
    const { text } = await read('/?view=models');
    expect(text).toContain('ANALYZING');
    sandbox.advance(6);
    const changed = await read(`/_page/view?view=models&have=${markOf(text)}`);
    expect(changed.text).toContain('READY');
    expect(keysOf(changed.text)).toEqual([before]);
  });
});

describe('safety', () => {
  const nasty = '"><script>alert(1)</script><img src=x onerror=alert(1)>';

  test('names and searches are escaped', async () => {
    await sandbox.call('POST /models', { models: [{ fileType: 'glb', name: nasty }] });
    const { text } = await read(`/?view=models&search=${encodeURIComponent(nasty)}`);
    expect(text).toContain('&lt;script&gt;alert(1)');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<img src=x');
  });

  test.each(['/', '/_page/view', '/_page/style.css', '/_page/script.js'])(
    'the response for %s allows no resources from other sites',
    async (path) => {
      const { response, text } = await read(path);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    },
  );

  test('stored files are sandboxed', async () => {
    const modelId = await readyModel(sandbox);
    const file = await sandbox.request(`/cdn/models/${modelId}/source.glb`);
    expect(file.headers.get('content-security-policy')).toContain('sandbox');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [65_500, '65.5 kB'],
  [235_000, '235 kB'],
  [5_800_000, '5.8 MB'],
  [1_500_000_000_000, '1500 GB'],
])('a size of %i bytes is shown as %s', (bytes, text) => expect(formatSize(bytes)).toBe(text));
