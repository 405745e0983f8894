// Takes pictures for the README: the report of a run and the page of runs, after real runs of shipped pipelines on the
// sandbox. Needs Chromium. Command: npm run screenshots
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCatalog } from '@renderline/sandbox';
import sharp from 'sharp';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Folder that contains all files. Its path appears in the pictures. */
const folder = join(tmpdir(), 'shop');
const width = 1280;
const colours = {
  Oak: '#c9a26b',
  Walnut: '#5c4033',
  Linen: '#ddd5c4',
  Navy: '#13294b',
  Moss: '#6b7340',
};

interface Services {
  temporalAddress: string;
  namespace: string;
  baseUrl: string;
  apiKey: string;
}

const { TEMPORAL_ADDRESS: _, ...ownEnvironment } = process.env;
let env: NodeJS.ProcessEnv = ownEnvironment;

function start(args: readonly string[]): ChildProcess {
  const main = join(root, 'dist/program/cli/main.js');
  return spawn(process.execPath, [main, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Reads the first JSON object that a command prints. The command may still be running. */
function readPrintedJson<T>({ stdout }: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    let text = '';
    stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('}\n')) resolve(JSON.parse(text) as T);
    });
    stdout?.on('end', () => reject(new Error(`no JSON object: ${text}`)));
  });
}

async function run(pipeline: string): Promise<string> {
  const out = join(folder, pipeline);
  const params = ['--param', `folder=${join(folder, 'models')}`, '--param', `out=${out}`];
  const args = ['run', `pipelines/${pipeline}.yaml`, ...params, '--wait', '--json'];
  return (await readPrintedJson<{ run: string }>(start(args))).run;
}

/** Creates the materials of the season, the models, and a table that approves all models. */
async function furnish({ baseUrl, apiKey }: Services): Promise<void> {
  for (const [index, [name, hex]] of Object.entries(colours).entries()) {
    await fetch(`${baseUrl}/materials/pantone`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name, hex, pantoneCode: `${index + 100} C` }),
    });
  }
  const models = join(folder, 'models');
  await mkdir(models, { recursive: true });
  const files = await writeCatalog(models);
  const rows = files.map((file) => `${file.replace(/\.glb$/, '')},yes`);
  await writeFile(join(models, 'products.csv'), ['Model,Approved', ...rows, ''].join('\n'));
}

/** Saves the page of runs as a single file, because a browser that only takes a picture has no session. */
async function saveRunsPage(path: string): Promise<void> {
  const ui = start(['ui', 'pipelines', '--port', '0', '--json']);
  const { url, token } = await readPrintedJson<{ url: string; token: string }>(ui);
  const response = await fetch(`${url}?token=${token}`, { redirect: 'manual' });
  const headers = { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
  const base = new URL(response.headers.get('location') ?? '', url);
  const read = async (address: string) => (await fetch(new URL(address, base), { headers })).text();
  const style = `<style>${await read('style.css')}</style>`;
  const page = (await read('runs')).replace(/<link rel="stylesheet"[^>]*>/, () => style);
  await writeFile(path, page.replace(/<script[^>]*><\/script>/, ''));
  await stop(ui);
}

async function stop(child: ChildProcess): Promise<void> {
  const exitEvent = once(child, 'exit');
  child.kill('SIGINT');
  await exitEvent;
}

async function takePicture(page: string, name: string, height: number): Promise<void> {
  const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
    (program) => spawnSync(program, ['--version']).status === 0,
  );
  if (browser === undefined) throw new Error('No Chromium here. Install it, then run this again.');
  const png = join(folder, `${name}.png`);
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'];
  const size = `--window-size=${width},${height}`;
  spawnSync(browser, [...flags, size, `--screenshot=${png}`, `file://${page}`]);
  const target = join(root, 'docs/images', `${name}.webp`);
  const { size: bytes } = await sharp(await readFile(png))
    .webp({ quality: 84 })
    .toFile(target);
  process.stdout.write(`${target}: ${bytes} bytes\n`);
}

await rm(folder, { recursive: true, force: true });
const dev = start(['dev', '--data', join(folder, 'dev'), '--speed', '10', '--json']);
try {
  const services = await readPrintedJson<Services>(dev);
  const { temporalAddress, namespace, baseUrl, apiKey } = services;
  env = {
    ...ownEnvironment,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    RENDERLINE_BASE_URL: baseUrl,
    RENDERLINE_API_KEY: apiKey,
  };
  await furnish(services);
  await run('catalog');
  const season = await run('season');
  const [model, broken] = ['bowl', 'sofa'].map((name) =>
    join(folder, `models/kitchen/${name}.glb`),
  );
  await copyFile(model ?? '', broken ?? '');
  await truncate(broken ?? '', 2_000);
  await run('catalog');
  await run('furniture');
  const [report, runs] = [join(folder, 'report.html'), join(folder, 'runs.html')];
  await readPrintedJson(start(['report', season, '--output', report, '--json']));
  await saveRunsPage(runs);
  await takePicture(report, 'report', 1_000);
  await takePicture(runs, 'runs', 330);
} finally {
  await stop(dev);
  await rm(folder, { recursive: true, force: true });
}
