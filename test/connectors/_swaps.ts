// Replaces a folder with a link to an outside folder during an operation in it, at every possible moment.
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Connector } from '../../src/connectors/connector.ts';

const text = (value: string) => new TextEncoder().encode(value);
const secret = 'not yours'.repeat(100);

async function entriesOf(connector: Connector, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, bytes } of connector.list(prefix)) found.push(`${path}: ${bytes}`);
  return found;
}

/** An operation in the folder `sub`. Its result must not contain anything from outside. */
export const doings: [name: string, work: (connector: Connector) => Promise<unknown>][] = [
  ['read', async (connector) => String(await connector.read('sub/a.txt'))],
  ['read below', async (connector) => String(await connector.read('sub/deep/b.txt'))],
  [
    'read in part',
    async (connector) => String((await connector.readPart('sub/a.txt', 0, 99)).bytes),
  ],
  [
    'open',
    async (connector) => {
      const file = await connector.open('sub/a.txt');
      try {
        const content = await file.content();
        return String(content instanceof Uint8Array ? Buffer.from(content) : await buffer(content));
      } finally {
        await file.close();
      }
    },
  ],
  ['stat', async (connector) => connector.stat('sub/a.txt')],
  ['list', (connector) => entriesOf(connector, 'sub')],
  ['list all', (connector) => entriesOf(connector, '')],
  ['write', (connector) => connector.write('sub/new.txt', text('new'))],
  ['write over', (connector) => connector.write('sub/a.txt', text('new'))],
  [
    'create',
    (connector) => connector.write('sub/new.txt', text('new'), { ifAbsent: true, durable: true }),
  ],
  ['write into a new folder', (connector) => connector.write('sub/made/x/new.txt', text('new'))],
  [
    'stage',
    async (connector) => {
      const staged = await connector.stage('sub/new.txt');
      try {
        await staged.write(text('new'));
        return await staged.commit();
      } finally {
        await staged.discard();
      }
    },
  ],
  ['remove', (connector) => connector.remove('sub/a.txt')],
];

/** A root with a folder, and an outside folder with the same names. */
export class Scene {
  readonly root: string;
  readonly #outside: string;
  readonly #before: string;
  #isSwapped = false;

  constructor(place: string) {
    this.root = join(place, 'root');
    this.#outside = join(place, 'outside');
    for (const [folder, content] of [
      [join(this.root, 'sub'), 'ours'],
      [this.#outside, secret],
    ] as const) {
      mkdirSync(join(folder, 'deep'), { recursive: true });
      writeFileSync(join(folder, 'a.txt'), content);
      writeFileSync(join(folder, 'deep', 'b.txt'), content);
    }
    writeFileSync(join(this.#outside, 'hidden.txt'), secret);
    this.#before = this.#lookOutside();
  }

  swap(): void {
    if (this.#isSwapped) return;
    this.#isSwapped = true;
    renameSync(join(this.root, 'sub'), join(this.root, '.aside'));
    symlinkSync(this.#outside, join(this.root, 'sub'));
  }

  swapBack(): void {
    if (!this.#isSwapped) return;
    this.#isSwapped = false;
    rmSync(join(this.root, 'sub'));
    renameSync(join(this.root, '.aside'), join(this.root, 'sub'));
  }

  /**
   * Describes what was read or written outside. Null if nothing was.
   * @param contentsOnly allows revealed sizes and names, and empty files outside
   */
  trace(given: unknown, contentsOnly: boolean): string | null {
    const serialized = JSON.stringify(given) ?? '';
    const words = [
      'not yours',
      ...(contentsOnly ? [] : [`"bytes":${secret.length}`, `: ${secret.length}`, 'hidden']),
    ];
    if (words.some((word) => serialized.includes(word))) return `told: ${serialized.slice(0, 60)}`;
    const after = this.#lookOutside();
    const isLeft = contentsOnly
      ? contentsOf(after) !== contentsOf(this.#before)
      : after !== this.#before;
    return isLeft ? `left: ${after.replaceAll(secret, '…')}` : null;
  }

  #lookOutside(): string {
    const names = readdirSync(this.#outside, { recursive: true, withFileTypes: true });
    const lines = names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isFile() ? readFileSync(path, 'utf8') : '';
      return `${path.slice(this.#outside.length)} ${content}`;
    });
    return lines.sort().join('\n');
  }
}

/** The content of all files, whatever their names. */
function contentsOf(lines: string): string {
  const contents = lines.split('\n').map((line) => line.slice(line.indexOf(' ') + 1));
  return contents
    .filter((content) => content !== '')
    .sort()
    .join('\n');
}

export interface Played {
  /** Number of calls. */
  calls: number;
  trace: string | null;
}

export interface Moment {
  /** Number of the call before which the folder is replaced, counted from 1. */
  swapAt: number;
  /** Number of the call before which the folder is restored. */
  backAt: number;
}

/** @param hook receives the function to call before each call */
export async function play(
  scene: Scene,
  hook: { before: () => void },
  work: () => Promise<unknown>,
  { swapAt, backAt }: Moment,
  contentsOnly = false,
): Promise<Played> {
  let calls = 0;
  hook.before = () => {
    calls += 1;
    if (calls === swapAt) scene.swap();
    if (calls === backAt) scene.swapBack();
  };
  const given = await work().catch((error: unknown) => String(error));
  hook.before = () => undefined;
  return { calls, trace: scene.trace(given, contentsOnly) };
}

/** All moments for the given number of calls. The swap is permanent, or is undone one, two or three calls later. */
export function* momentsOf(calls: number): Generator<Moment> {
  for (let swapAt = 1; swapAt <= calls; swapAt += 1) {
    for (const later of [Number.POSITIVE_INFINITY, 1, 2, 3]) {
      yield { swapAt, backAt: swapAt + later };
    }
  }
}
