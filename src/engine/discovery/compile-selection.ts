// Parses `run --only`, `--where` and `--force`, which select which of the listed assets a run processes.
import { commandFailures } from '../../failures/commands.ts';
import { labelsOf, mapDimensions } from '../../language/dimension-names.ts';
import { GlobSet } from '../../language/glob-set.ts';
import { findGlobProblem } from '../../language/read-glob.ts';
import type { Selection } from '../../plan/run/selection.ts';
import type { AssetSource } from '../../plan/types.ts';
import type { AssetSelector, AssetStatus } from '../../store/discovery/classify.ts';
import { callKeysOf } from '../../store/records/cell-keys.ts';
import { sourcePathsOf } from '../../store/records/source-set.ts';
import { compileCondition, type FieldValues } from './condition.ts';

const fields = {
  key: 'string',
  path: 'string',
  id: 'string',
  size: 'double',
  ...mapDimensions(() => 'string' as const),
  reason: 'string',
} as const;

/** An invalid glob in `--only`. */
export class OnlyError extends Error {
  override name = 'OnlyError';
  readonly failure = commandFailures.GLOB;
  readonly fix = "Pass asset keys or a glob, such as: --only 'shoes/**'";
}

/** Returns a function that tests whether a run processes an asset. @throws OnlyError, WhereError for invalid options */
export function compileSelection({ only, where, force }: Selection): AssetSelector {
  const isNamed = only === undefined ? () => true : createNameTest(only);
  const fits = where === undefined ? null : compileCondition(fields, where, 'size < 1000000');
  return {
    force: force === true,
    isSelected: ({ key, source }, reason) =>
      isNamed(namesOf(key, source)) && (fits === null || fits(toFieldValues(key, source, reason))),
    isRefusedSelected: (name) => fits === null && isNamed([name, name.replace(/\.[^./]+$/, '')]),
  };
}

/** Creates a test in which each value of `--only` matches an identical name, and other names as a glob. */
function createNameTest(only: readonly string[]): (names: readonly string[]) => boolean {
  const exactly = new Set(only.map((name) => name.normalize('NFC')));
  for (const glob of only) {
    const refusal = findGlobProblem(glob);
    if (refusal !== null) throw new OnlyError(`--only "${glob}" ${refusal.reason}.`);
  }
  const globs = new GlobSet(only, { style: 'path' });
  return (names) => names.some((name) => exactly.has(name) || globs.hasMatch(name));
}

/** Returns the names by which a person may select an asset: its key, keys shared with other cells, its files and id. */
function namesOf(key: string, source: AssetSource): string[] {
  const { path, id } = source;
  const names = [...callKeysOf({ key, source }), path, id, ...sourcePathsOf(source)];
  return names.flatMap((name) => (name === undefined ? [] : [name.normalize('NFC')]));
}

function toFieldValues(
  key: string,
  source: AssetSource,
  reason: AssetStatus['reason'],
): FieldValues<typeof fields> {
  const { path, id = '', bytes: size } = source;
  return { key, path, id, size, ...labelsOf(source), reason };
}
