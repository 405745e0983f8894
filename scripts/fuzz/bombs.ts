// Inputs that once took minutes or gigabytes. Each one runs in its own process, against the limits for untrusted input.
// Unit tests count steps, because seconds depend on the machine. This program measures the real cost.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflate, deflateSync } from 'node:zlib';
import { inspectImage } from '@renderline/sandbox/image-inspection';
import { readScene } from '@renderline/sandbox/scene';
import { z } from 'zod';
import { decodeResponse, readOutput } from '../../src/api/decode.ts';
import { operations } from '../../src/api/operations/index.ts';
import { toSafeMessage } from '../../src/api/responses/scrub.ts';
import { compileText } from '../../src/compile/compile.ts';
import { findSlotProblems } from '../../src/features/slots/find-slot-problems.ts';
import { readColorwayTable } from '../../src/features/variants/grid/colorway-table.ts';
import { inspectBytes } from '../../src/glb/inspect-model.ts';
import { compileExpression, toExpressionScope } from '../../src/language/expressions.ts';
import { GlobSet } from '../../src/language/glob-set.ts';
import { decodePicture, maxConcurrentDecodes } from '../../src/pictures/decoding/decode.ts';
import { defaultMaxPixels } from '../../src/pictures/picture-header.ts';
import { parseIntent } from '../../src/store/calls/intents.ts';
import { withChildCosts } from './child-costs.ts';

/** Limits on the CPU time per input, excluding the time for loading the program, and on the memory of any process. */
const maxCpuMs = 2_000;
const maxBytes = 500 * 1024 ** 2;
const killMs = 120_000;

const file = (config: string) => `name: a
connectors: { files: { type: local, path: . } }
nodes:
  - { id: a, type: connector_poll, config: { connector: files, ${config} } }`;
const compile = (text: string) => {
  const options = { cwd: '/', fileFolder: '/', parameters: {}, environment: {} };
  return compileText(text, 'p.yaml', options).problems.length;
};
const evaluate = (source: string, name: string) => {
  const expression = compileExpression(source);
  if (!expression.ok) return 'refused';
  const sourceFile = { path: `${name}.glb`, bytes: 1, mtimeMs: 0, version: '1' };
  return expression.evaluate(
    toExpressionScope({ key: name, source: sourceFile, platformIds: {} }, {}),
  );
};
const countMatches = (glob: string, name: string) =>
  new GlobSet([glob], { style: 'path', ignoreCase: true }).matching(name).length;

const secret = 'svc_abcd_0123456789abcdef';
const read = (status: number, text: string) => {
  const context = { url: new URL('https://h.example/'), rateHeaders: {}, secrets: [secret] };
  const row = operations.listModels;
  const raw = decodeResponse(row, { status, headers: {}, text }, context);
  return JSON.stringify(readOutput(row, status, raw).output).length;
};

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Creates a grey PNG that contains only `rows` rows of its pixels. */
function png(side: number, extraChunks: readonly Buffer[] = [], rows = side): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head[8] = 8;
  const pixels = deflateSync(Buffer.alloc(rows * (side + 1)), { level: 1 });
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const end = chunk('IEND', Buffer.alloc(0));
  return Buffer.concat([start, chunk('IHDR', head), ...extraChunks, chunk('IDAT', pixels), end]);
}

/** Creates an interlaced PNG with four 16-bit channels, which takes the most memory to decode. */
async function heavyPng(width: number, height: number): Promise<Buffer> {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([16, 6, 0, 0, 1], 8);
  // Start column and row of each pass, with their steps.
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  const bytes = passes.map(([x, y, across, down]) => {
    const [columns, rows] = [Math.ceil((width - x) / across), Math.ceil((height - y) / down)];
    return rows * (1 + 8 * columns);
  });
  const pixels = await packedZeros(bytes.reduce((sum, count) => sum + count));
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const end = chunk('IEND', Buffer.alloc(0));
  return Buffer.concat([start, chunk('IHDR', head), chunk('IDAT', pixels), end]);
}

/** Creates a deflate stream of zeros without keeping them in memory. */
async function packedZeros(bytes: number): Promise<Buffer> {
  const zeros = function* () {
    const zeroBlock = Buffer.alloc(1024 ** 2);
    for (let bytesLeft = bytes; bytesLeft > 0; bytesLeft -= zeroBlock.length)
      yield zeroBlock.subarray(0, bytesLeft);
  };
  return buffer(Readable.from(zeros()).pipe(createDeflate({ level: 1 })));
}

const longTexts = (): Buffer[] => {
  const packed = deflateSync(Buffer.alloc(30_000_000, 65));
  const text = Buffer.concat([Buffer.from('Comment\0\0'), packed]);
  return Array.from({ length: 30 }, () => chunk('zTXt', text));
};
const svg = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">${'<g filter="url(#f)">'.repeat(50)}
<filter id="f"><feGaussianBlur stdDeviation="900"/></filter><rect width="4000" height="4000"/></svg>`,
);

/** Creates a GLB with many nodes that share a mesh. */
function glb(nodes: number, vertices: number, moreNodes = ''): Buffer {
  const bytes = vertices * 12;
  const json = Buffer.from(
    JSON.stringify({
      asset: { version: '2.0' },
      scene: 0,
      scenes: [{ nodes: Array.from({ length: nodes }, (_, index) => index) }],
      nodes: Array.from({ length: nodes }, () => ({ mesh: 0 })),
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      accessors: [{ bufferView: 0, componentType: 5126, count: vertices, type: 'VEC3' }],
      bufferViews: [{ buffer: 0, byteLength: bytes }],
      buffers: [{ byteLength: bytes }],
    }).replace('"nodes":[{"mesh":0}', `"nodes":[{"mesh":0}${moreNodes}`),
  );
  const padded = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, ' ')]);
  const part = (type: number, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(data.length, 0);
    head.writeUInt32LE(type, 4);
    return Buffer.concat([head, data]);
  };
  const body = Buffer.concat([part(0x4e4f534a, padded), part(0x004e4942, randomBytes(bytes))]);
  const head = Buffer.from('glTF\u0002\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(12 + body.length, 8);
  return Buffer.concat([head, body]);
}

async function decode(bytes: Buffer): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'renderline-bomb-'));
  try {
    await writeFile(join(folder, 'output'), bytes);
    return await decodePicture(join(folder, 'output'), defaultMaxPixels);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const fourAtOnce = 'four of them at once';

/** Each bomb first creates its input, which is not measured. */
const bombs: Readonly<Record<string, () => (() => unknown) | Promise<() => unknown>>> = {
  'a glob of six braces': () => {
    const text = file(`include: ["${'{a,b,c,d,e,f,g,h,i,j}'.repeat(6)}"]`);
    return () => compile(text);
  },
  'stars over a long name': () => () => countMatches(`${'*a'.repeat(20)}b`, 'a'.repeat(4_095)),
  'alternatives of stars': () => () => countMatches(`${'{a,a*}'.repeat(5)}*b`, 'a'.repeat(4_000)),
  '500,000 braces in a key': () => {
    const text = `name: "${'{'.repeat(500_000)}"\nkey: "${'${{'.repeat(1_000)}"`;
    return () => compile(text);
  },
  'templates up to every bound': () => {
    const key = '${{ params.a }}'.repeat(100);
    const text = `name: a\nkey: "${key}"\n${Array.from({ length: 100 }, (_, index) => `x${index}: "${'{{'.repeat(4_000)}"`).join('\n')}`;
    return () => compile(text);
  },
  'keys without end in a brace': () => {
    const text = `{ ? ${'a: '.repeat(300_000)}]`;
    return () => compile(text);
  },
  'an expression that joins what it has split': () => () =>
    evaluate('asset.name.split("").map(x, asset.name).join(",")', 'a'.repeat(4_096)),
  'a file of as many keys as one may have': () => {
    const text = `name: a\nx: {${Array.from({ length: 12_000 }, (_, index) => `k${index}: ${index}`).join(', ')}}`;
    return () => compile(text);
  },
  'an expression up to its bounds': () => () =>
    evaluate('asset.name.split("").exists(x, asset.name.contains(x + "b"))', 'a'.repeat(4_000)),
  'an expression that maps lists of lists': () => () =>
    evaluate(
      'asset.name.split("").map(x, asset.name.split("").map(y, asset.name)) == []',
      'a'.repeat(4_096),
    ),
  'a pattern over a name of 90 kB': () => () =>
    evaluate('asset.name.matches("^(a?)*b$") || asset.name.matches("a*a*a*b")', 'a'.repeat(90_000)),
  'a table of 60 MB of commas': () => {
    const text = ','.repeat(60_000_000);
    return () => readColorwayTable({ bytes: Buffer.from(text), path: 'a.csv' });
  },
  'a table of 60 MB of a delimiter that it names': () => {
    const text = `sep=|\nmodel|colorway|slot|material\na|b|c|d\n${'|'.repeat(60_000_000)}`;
    return () => readColorwayTable({ bytes: Buffer.from(text), path: 'a.csv' });
  },
  'a table of 60 MB of quotes': () => {
    const text = `model,colorway,slot,material\n${'"'.repeat(60_000_000)}`;
    return () => readColorwayTable({ bytes: Buffer.from(text), path: 'a.csv' });
  },
  'a table of lists in lists': () => {
    const text = `{"model":${'['.repeat(9_900)}${']'.repeat(9_900)}}\n`.repeat(3_000);
    return () => readColorwayTable({ bytes: Buffer.from(text), path: 'a.jsonl' });
  },
  'a record of 16 MB of empty lists': () => {
    const text = `{"schema":"renderline/intent/v1","more":[${'[],'.repeat(5_000_000)}0]}`;
    return () => parseIntent(text);
  },
  'an answer of 30 MB of empty objects': () => {
    const text = `{"models":[${'{},'.repeat(10_000_000)}{}]}`;
    return () => read(200, text);
  },
  'an answer as large as one may be': () => {
    const item = `{"modelId":"m","name":"n","x":[${'{},'.repeat(1_150)}{}],"y":"${'y'.repeat(70_000)}"}`;
    const text = `{"models":[${Array.from({ length: 100 }, () => item).join(',')}]}`;
    return () => read(200, text);
  },
  'an error of 280 kB of addresses': () => {
    const text = 'https://'.repeat(35_000);
    return () => toSafeMessage(text, [secret]);
  },
  'an error of six texts of 1 MB': () => {
    const long = 'https://'.repeat(125_000);
    const body = { code: long, message: long, title: long, detail: long, hint: long, id: long };
    const text = JSON.stringify({ error: body });
    return () => read(500, text);
  },
  'a PNG of 16,383 pixels a side': () => {
    const bytes = png(16_383, [], 1_000);
    return () => decode(bytes);
  },
  'a PNG of 8,192 pixels a side': () => {
    const bytes = png(8_192);
    return () => decode(bytes);
  },
  'an interlaced PNG of 8,192 pixels a side, of four channels of 16 bits': async () => {
    const bytes = await heavyPng(8_192, 8_192);
    return () => decode(bytes);
  },
  'as large a one as is decoded': async () => {
    const bytes = await heavyPng(8_192, 4_096);
    return () => decode(bytes);
  },
  [fourAtOnce]: async () => {
    const bytes = await heavyPng(8_192, 4_096);
    return () => Promise.all([1, 2, 3, 4].map(() => decode(bytes)));
  },
  'a PNG with texts that unpack to 900 MB': () => {
    const bytes = png(64, longTexts());
    return () => decode(bytes);
  },
  'a drawing as an output': () => () => decode(svg),
  'the same texts in an image of the sandbox': () => {
    const bytes = png(64, longTexts());
    return () => inspectImage(bytes);
  },
  'a drawing as an image of the sandbox': () => () => inspectImage(svg),
  'a model of 1,000 nodes over 100,000 vertices': () => {
    const bytes = glb(1_000, 100_000);
    return () => readScene(bytes, 'glb').then(() => 'read');
  },
  'a model as large as the sandbox draws': () => {
    const bytes = glb(149, 99_999);
    return () => readScene(bytes, 'glb').then(() => 'read');
  },
  'a model of 15 MB of empty nodes, before upload': () => {
    const bytes = glb(1, 3, ',{}'.repeat(5_000_000));
    return () => inspectBytes(bytes, 'glb');
  },
  'a model of as many nodes as one may have, before upload': () => {
    const bytes = glb(1, 3, ',{}'.repeat(1_000_000));
    return () => inspectBytes(bytes, 'glb');
  },
  'a model of as many keys as one may have, before upload': () => {
    const keys = Array.from({ length: 430_000 }, (_, index) => `,{"k${index}":0}`);
    const bytes = glb(1, 3, keys.join(''));
    return () => inspectBytes(bytes, 'glb');
  },
  'a slot whose name has 15 MB, for a rule about another slot': () => {
    const contents = { materials: ['s'.repeat(15_000_000)], variants: [] };
    const swapRules = [{ matchText: 'seat', matchMode: 'exact' }] as const;
    return () =>
      findSlotProblems({ node: 'v', swapRules, choose: null, isEachNeeded: true }, contents).length;
  },
  'as many in the sandbox': () => {
    const bytes = glb(1, 3, ',{}'.repeat(1_000_000));
    return () => readScene(bytes, 'glb').then(() => 'read');
  },
  'a model of as many nodes as the sandbox reads': () => {
    const bytes = glb(1, 3, ',{}'.repeat(99_000));
    return () => readScene(bytes, 'glb').then(() => 'read');
  },
};

const Cost = z.object({
  cpuMs: z.number(),
  bytes: z.number(),
  decoders: z.object({ atOnce: z.number(), cpuMs: z.number(), bytes: z.number() }),
  outcome: z.string(),
});

/** Runs one bomb in this process and prints its cost. */
export async function runBomb(name: string): Promise<void> {
  const play = await bombs[name]?.();
  if (play === undefined) throw new Error(`no bomb is called "${name}"`);
  const cpuBefore = process.cpuUsage();
  const [outcome, decoders] = await withChildCosts(() =>
    Promise.resolve()
      .then(play)
      .then(
        (value) => JSON.stringify(value) ?? 'done',
        (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : 'failed'),
      ),
  );
  const { user, system } = process.cpuUsage(cpuBefore);
  const bytes = process.resourceUsage().maxRSS * 1024;
  const cpuMs = Math.round((user + system) / 1_000);
  const cost: z.output<typeof Cost> = { cpuMs, bytes, decoders, outcome: outcome.slice(0, 100) };
  process.stdout.write(JSON.stringify(cost), () => process.exit());
}

/** Runs each bomb in its own process. @param args arguments before the bomb's name @returns the violations */
export async function runBombs(args: readonly string[]): Promise<string[]> {
  const violations: string[] = [];
  for (const name of Object.keys(bombs)) {
    const cost = Cost.safeParse(await readPrintedJson([...args, name])).data;
    const line = `${name}: ${cost ? formatCost(cost) : 'killed'}`;
    console.log(line);
    const inputs = name === fourAtOnce ? 4 : 1;
    if (!cost || isTooMuch(cost, inputs)) violations.push(line);
  }
  return violations;
}

function formatCost({ cpuMs, bytes, decoders, outcome }: z.output<typeof Cost>): string {
  const costs = (ms: number, max: number) => `${ms} ms of CPU, ${Math.round(max / 1024 ** 2)} MiB`;
  const decoderCosts =
    decoders.atOnce === 0
      ? ''
      : `; ${decoders.atOnce} decoding: ${costs(decoders.cpuMs, decoders.bytes)} in one`;
  return `${costs(cpuMs, bytes)}${decoderCosts}: ${outcome}`;
}

function isTooMuch({ cpuMs, bytes, decoders }: z.output<typeof Cost>, inputs: number): boolean {
  return (
    cpuMs + decoders.cpuMs > maxCpuMs * inputs ||
    Math.max(bytes, decoders.bytes) > maxBytes ||
    decoders.atOnce > maxConcurrentDecodes
  );
}

/** Returns the JSON that a program prints, or null if the program was killed or printed something else. */
function readPrintedJson(args: readonly string[]): Promise<unknown> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: killMs }, (_error, stdout) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        resolve(null);
      }
    });
  });
}
