// Reads `listings/*.txt`: file names of libraries, tools, engines and people, with the expected result.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Expected result for a path: `diffuse` (used), `+diffuse` (a duplicate), `ignored` … */
export interface NameRow {
  readonly path: string;
  readonly class: string;
  readonly material?: string;
  readonly channel?: string;
}

const lists = new Set(['ignored', 'packed', 'unmatched', 'skipped']);

/** Title → rows, of every file in the folder. */
export function nameListings(): ReadonlyMap<string, readonly NameRow[]> {
  const folder = join(import.meta.dirname, 'listings');
  const listings = new Map<string, NameRow[]>();
  for (const file of readdirSync(folder).sort()) {
    let rows: NameRow[] | undefined;
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line.startsWith('== ')) {
        rows = [];
        listings.set(`${file}: ${line.slice(3)}`, rows);
      } else if (line.trim() !== '') rows?.push(...rowsOf(line));
    }
  }
  return listings;
}

/** `oak_{diff=diffuse|ao=ignored}_2k.jpg @ oak`, or `oak.zip = skipped`. */
function rowsOf(line: string): NameRow[] {
  const [names = '', material] = line.split(' @ ');
  const braces = /^(.*)\{(.*)\}(.*)$/.exec(names);
  if (!braces) return [rowOf('', names, '', material)];
  const [, before = '', alternatives = '', after = ''] = braces;
  return alternatives.split('|').map((one) => rowOf(before, one, after.trimEnd(), material));
}

function rowOf(before: string, text: string, after: string, material?: string): NameRow {
  const at = text.lastIndexOf('=');
  const path = before + text.slice(0, at).replace(/ $/, '') + after;
  const verdict = text.slice(at + 1).trim();
  if (lists.has(verdict)) return { path, class: verdict };
  if (material === undefined) throw new Error(`${path} needs a material.`);
  const [, plus, channel = ''] = /^(\+?)(\w+)$/.exec(verdict) ?? [];
  return { path, class: plus ? 'duplicate' : 'channel', channel, material: material.trim() };
}
