// Why the next run takes an asset or passes it over: what discovery found, for one key. Pure.
import type { AssetSource, Stage } from '../../plan/types.ts';
import { sourcePaths } from '../records/source-set.ts';
import { type AssetReason, beginOf } from '../runs/manifest-asset.ts';
import type { Discovered } from './discover.ts';

/**
 * An asset that a run would take has the reason why. `unchanged`: source and recipe are as delivered. `touched`: only the
 * time of the file changed. `later`: it changes still. `refused`: it cannot become an asset. `absent`: the root
 * has no such asset.
 */
export type Verdict = AssetReason | 'unchanged' | 'touched' | 'later' | 'refused' | 'absent';

export interface KeyVerdict {
  /** As the records have it; the given text where there is no asset. */
  key: string;
  verdict: Verdict;
  source: AssetSource | null;
  /** The first stage that is done again; null where nothing is, or where it begins at its file. */
  begin: Stage | null;
  /** Key that its source had before it was moved; null where it was not, or nothing is taken over. */
  movedFrom: string | null;
  /** Key that its source has now; null where it was not moved. */
  movedTo: string | null;
  /** Only of refused assets. */
  refusal: { code: string; message: string } | null;
}

const noKey: string | null = null;

/** @param asked a key, or what it stands for: a path, or an id of the platform. */
export function verdictOf(asked: string, found: Discovered): KeyVerdict {
  const name = asked.normalize('NFC');
  const stands =
    found.standings.find(({ key }) => key === name) ??
    found.standings.find(({ source }) => isMadeOf(source, name));
  if (!stands) {
    const refused = found.refused.find(({ key }) => isNameOf(key.normalize('NFC'), name));
    const refusal = refused ? { code: refused.code, message: refused.message } : null;
    const to = found.moved?.isTaken && found.moved.moved.find(({ from }) => from === name);
    return {
      key: name,
      verdict: refusal ? 'refused' : 'absent',
      source: null,
      begin: null,
      movedFrom: null,
      movedTo: to ? to.key : null,
      refusal,
    };
  }
  const { key, source, standing } = stands;
  const verdict = (what: Verdict, begin: Stage | null = null, movedFrom = noKey): KeyVerdict => ({
    key,
    verdict: what,
    source,
    begin,
    movedFrom,
    movedTo: null,
    refusal: null,
  });
  const taken = found.assets.find((asset) => asset.key === key);
  if (standing.reason === 'unchanged' && taken?.reason !== 'age') return verdict('unchanged');
  if (taken) return verdict(taken.reason, beginOf(taken), taken.moved?.key ?? noKey);
  return verdict(found.touched.some(({ record }) => record.key === key) ? 'touched' : 'later');
}

/** A set is made of several files; what the platform has is known by its id. */
function isMadeOf(source: AssetSource, name: string): boolean {
  if (source.id !== undefined) return source.id === name;
  return [source.path, ...sourcePaths(source)].some((path) => path.normalize('NFC') === name);
}

/** A refused source stands under its path, since it has no key. */
function isNameOf(path: string, name: string): boolean {
  return path === name || path.replace(/\.[^./]+$/, '') === name;
}
