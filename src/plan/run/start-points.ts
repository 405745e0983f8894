// The stage at which a run starts assets that have moved, are too old, or have a changed pipeline. Pure.
import { formatCount } from '../helpers/format-count.ts';
import type { Stage } from '../types.ts';

export interface StartPoint {
  /** The first stage that is repeated. */
  startStage: Stage;
  /** The exceeded maximum age, for example `30d`. Absent if the pipeline has changed or the source has moved. */
  olderThan?: string | undefined;
  /** Set if the sources of these assets were delivered under other keys. */
  isMoved?: true | undefined;
}

export interface StartPointCount extends StartPoint {
  assets: number;
}

/** Where an asset starts if its pipeline has changed, by the first stage that is repeated. */
export const startPointPhrases: Readonly<Record<Stage, string>> = {
  source: 'with the upload',
  composition: 'with the project; the uploaded model is reused (template or colorway changed)',
  render: 'with the render; the project is reused (settings changed)',
  sheet: 'with the production file; the project is reused (options changed)',
  delivery: 'with the delivery: nothing is rendered (names, destinations or properties changed)',
};

/** Where an asset starts if its results are too old, by the first stage that is repeated. */
export const agedStartPointPhrases: Readonly<Record<Stage, string>> = {
  source: 'with the upload',
  composition: 'with the project',
  render: 'with the render',
  sheet: 'with the production file',
  delivery: 'with the delivery',
};

/** Counts assets by stage and cause. @param earlierCounts counts to which these are added */
export function countStartPoints(
  items: Iterable<StartPoint | null>,
  earlierCounts: readonly StartPointCount[] = [],
): StartPointCount[] {
  const counts = new Map<string, StartPointCount>(
    earlierCounts.map((count) => [startPointKey(count), { ...count }]),
  );
  for (const item of items) {
    if (item === null) continue;
    const count = counts.get(startPointKey(item));
    if (count) count.assets += 1;
    else counts.set(startPointKey(item), { ...item, assets: 1 });
  }
  return [...counts.values()];
}

function startPointKey({ startStage, olderThan = '', isMoved }: StartPoint): string {
  return `${startStage} ${olderThan} ${isMoved === true}`;
}

/** Returns lines such as `12 assets begin with the delivery: …`. */
export function formatStartPoints(
  startPoints: readonly StartPointCount[],
  unit = 'asset',
): string[] {
  return startPoints.map(({ startStage, assets, olderThan, isMoved }) => {
    const moved = isMoved ? ` that ${assets === 1 ? 'was' : 'were'} moved` : '';
    const assetsPhrase = `${formatCount(assets, unit)}${moved} ${assets === 1 ? 'begins' : 'begin'}`;
    if (isMoved) return `${assetsPhrase} ${startPointPhrases[startStage].replace(/ \(.*\)$/, '')}`;
    if (olderThan === undefined) return `${assetsPhrase} ${startPointPhrases[startStage]}`;
    return `older than ${olderThan}: ${assetsPhrase} ${agedStartPointPhrases[startStage]}`;
  });
}
