// Where a run begins assets of which it does only a part again. Pure.
import { count } from './count.ts';
import type { Stage } from './types.ts';

export interface BeginAt {
  /** The first stage that is done again. */
  begin: Stage;
  /** How old what was made may be, where that is why; absent: the pipeline makes something else. */
  olderThan?: string | undefined;
  /** Their sources were delivered under other keys. */
  isMoved?: true | undefined;
}

export interface Begin extends BeginAt {
  assets: number;
}

/** Where an asset begins that the pipeline makes something else of. */
export const beginWords: Readonly<Record<Stage, string>> = {
  source: 'with the upload',
  composition:
    'with the project, of the model that is there (template, colorway or properties changed)',
  render: 'with the render, of the project that is there (settings changed)',
  sheet: 'with the production file, of the project that is there (options changed)',
  delivery: 'with the delivery: nothing is rendered (names or destinations changed)',
};

/** Where an asset begins of which something is too old. */
export const agedWords: Readonly<Record<Stage, string>> = {
  source: 'at the upload',
  composition: 'at the project',
  render: 'at the render',
  sheet: 'at the production file',
  delivery: 'at the delivery',
};

/** Counts by stage and cause. @param before counts that these are added to */
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

/** `12 assets begin with the delivery: …`, a line each. */
export function beginLines(begins: readonly Begin[], unit = 'asset'): string[] {
  return begins.map(({ begin, assets, olderThan, isMoved }) => {
    const moved = isMoved ? ` that ${assets === 1 ? 'was' : 'were'} moved` : '';
    const some = `${count(assets, unit)}${moved} ${assets === 1 ? 'begins' : 'begin'}`;
    if (isMoved) return `${some} ${beginWords[begin].replace(/ \(.*\)$/, '')}`;
    if (olderThan === undefined) return `${some} ${beginWords[begin]}`;
    return `older than ${olderThan}: ${some} ${agedWords[begin]}`;
  });
}
