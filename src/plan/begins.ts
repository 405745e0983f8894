// The stage at which a run starts assets that it repeats only in part. Pure.
import { count } from './count.ts';
import type { Stage } from './types.ts';

export interface BeginAt {
  /** The first stage that is repeated. */
  begin: Stage;
  /** The maximum age, if age is the reason; absent: the pipeline has changed. */
  olderThan?: string | undefined;
  /** Their sources were delivered under other keys. */
  isMoved?: true | undefined;
}

export interface Begin extends BeginAt {
  assets: number;
}

/** Where an asset starts whose pipeline has changed. */
export const beginWords: Readonly<Record<Stage, string>> = {
  source: 'with the upload',
  composition:
    'with the project, of the model that is there (template, colorway or properties changed)',
  render: 'with the render, of the project that is there (settings changed)',
  sheet: 'with the production file, of the project that is there (options changed)',
  delivery: 'with the delivery: nothing is rendered (names or destinations changed)',
};

/** Where an asset starts of which something is too old. */
export const agedWords: Readonly<Record<Stage, string>> = {
  source: 'at the upload',
  composition: 'at the project',
  render: 'at the render',
  sheet: 'at the production file',
  delivery: 'at the delivery',
};

/**
 * Counts assets by stage and cause.
 * @param before counts to which these are added
 */
export function countBegins(
  items: Iterable<BeginAt | null>,
  before: readonly Begin[] = [],
): Begin[] {
  const counts = new Map<string, Begin>(before.map((one) => [idOf(one), { ...one }]));
  for (const item of items) {
    if (item === null) continue;
    const known = counts.get(idOf(item));
    if (known) known.assets += 1;
    else counts.set(idOf(item), { ...item, assets: 1 });
  }
  return [...counts.values()];
}

function idOf({ begin, olderThan = '', isMoved }: BeginAt): string {
  return `${begin} ${olderThan} ${isMoved === true}`;
}

/** Lines such as `12 assets begin with the delivery: …`. */
export function beginLines(begins: readonly Begin[], unit = 'asset'): string[] {
  return begins.map(({ begin, assets, olderThan, isMoved }) => {
    const moved = isMoved ? ` that ${assets === 1 ? 'was' : 'were'} moved` : '';
    const some = `${count(assets, unit)}${moved} ${assets === 1 ? 'begins' : 'begin'}`;
    if (isMoved) return `${some} ${beginWords[begin].replace(/ \(.*\)$/, '')}`;
    if (olderThan === undefined) return `${some} ${beginWords[begin]}`;
    return `older than ${olderThan}: ${some} ${agedWords[begin]}`;
  });
}
