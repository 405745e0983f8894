// `node dist/bench/transfers.js`: measures the memory and time of a process that transfers large files.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { wholeNumber } from '../scripts/whole-number.ts';
import type { ConnectorSpec } from '../src/plan/types.ts';
import { openSftpServer, sftpPassword } from './transfers/sftp.ts';
import { writeSparseModel } from './transfers/sparse-model.ts';
import { type CountingStore, openStore } from './transfers/store.ts';
import type { TransferReport, TransferTask } from './transfers/transfer-process.ts';
import { measureRun } from './transfers/whole-run.ts';

const transferProcess = fileURLToPath(new URL('transfers/transfer-process.js', import.meta.url));
const mib = 1024 ** 2;

interface Sizes {
  modelMib: number;
  pictureMib: number;
  count: number;
}

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: '1024' },
    picture: { type: 'string', default: '500' },
    count: { type: 'string', default: '1' },
    only: { type: 'string', default: 'run,up,local,s3,azure,gcs,sftp' },
  },
});
const sizes: Sizes = {
  modelMib: wholeNumber('--model', values.model, 1),
  pictureMib: wholeNumber('--picture', values.picture, 1),
  count: wholeNumber('--count', values.count, 1),
};
const folder = await mkdtemp(join(tmpdir(), 'renderline-transfers-'));
const store = await openStore();
const sftp = await openSftpServer();
try {
  process.stdout.write(
    `${columns(['case', 'idle MiB', 'peak +MiB', 'decoder', 'CPU ms', 'wall ms', 'sockets'])}\n`,
  );
  for (const name of values.only.split(',')) {
    if (name === 'sftp' && sftp === null) continue;
    const { report, sockets } = await measureTransfer(name, await connectorSpecOf(name), store);
    const { idleMib, peakMib, decoderMib, cpuMs, ms } = report;
    process.stdout.write(`${columns([name, idleMib, peakMib, decoderMib, cpuMs, ms, sockets])}\n`);
  }
} finally {
  await store.close();
  await sftp?.close();
  await rm(folder, { recursive: true, force: true });
}

async function measureTransfer(
  name: string,
  connector: ConnectorSpec,
  far: CountingStore,
): Promise<{ report: TransferReport; sockets: number }> {
  if (name === 'run') {
    const bytes = sizes.modelMib * mib;
    return { report: await measureRun(join(folder, 'run'), bytes, sizes.count), sockets: 0 };
  }
  const { origin } = far;
  const isUp = name === 'up';
  const common = { connector, direction: isUp ? 'up' : 'down' } as const;
  const address = isUp ? `${origin}/put/` : `${origin}/cdn/`;
  const bytes = sizes.pictureMib * mib;
  const numbers = Array.from({ length: sizes.count }, (_, index) => index);
  const paths = isUp
    ? numbers.map((index) => `large-${index}.glb`)
    : numbers.map((index) => `${bytes}/${index}.tif`);
  if (isUp) {
    await mkdir(folder, { recursive: true });
    await writeSparseModel(join(folder, 'small.glb'), mib);
    for (const path of paths) await writeSparseModel(join(folder, path), sizes.modelMib * mib);
  }
  const warm: TransferTask = {
    ...common,
    address,
    paths: [isUp ? 'small.glb' : `${mib}/small.tif`],
  };
  far.take();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [transferProcess, JSON.stringify([warm, { ...common, address, paths }])],
    { env: environment(origin), timeout: 600_000 },
  );
  return { report: JSON.parse(stdout) as TransferReport, sockets: far.take().sockets };
}

async function connectorSpecOf(name: string): Promise<ConnectorSpec> {
  const { origin } = store;
  switch (name) {
    case 's3':
      return { type: 's3', bucket: 'media', endpoint: origin, pathStyle: true };
    case 'azure':
      return { type: 'azure', container: 'media' };
    case 'gcs':
      return { type: 'gcs', bucket: 'media', endpoint: origin };
    case 'sftp': {
      const { port = 0, hostKey = '' } = sftp ?? {};
      const path = join(folder, 'sftp');
      await mkdir(path, { recursive: true });
      const passwordFrom = 'RENDERLINE_SECRET_BENCH';
      return { type: 'sftp', host: '127.0.0.1', port, user: 'bench', path, hostKey, passwordFrom };
    }
    default:
      return { type: 'local', path: folder };
  }
}

function environment(origin: string): NodeJS.ProcessEnv {
  const account = `AccountName=bench;AccountKey=a2V5;BlobEndpoint=${origin}/bench`;
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_REGION: 'eu-central-1',
    RENDERLINE_ALLOW_HOSTS: '127.0.0.1',
    AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=http;${account}`,
    RENDERLINE_SECRET_BENCH: sftpPassword,
  };
}

function columns(cells: readonly (string | number)[]): string {
  return cells.map((cell) => String(cell).padStart(10)).join('');
}
