// Explains for one key why the next run takes or skips the asset, according to discovery. Pure.
import type { AssetSource, Stage } from '../../plan/types.ts';
import { sourcePathsOf } from '../records/source-set.ts';
import { type AssetReason, findStartStage } from '../runs/run-asset.ts';
import type { DiscoveredAssets } from './discover.ts';

/**
 * The verdict on a source. If a run would take the asset, the verdict is the reason for taking it. `unchanged`: source
 * and recipe are as delivered. `touched`: only the file's time changed. `later`: the file is still changing. `refused`:
 * the source cannot become an asset. `absent`: the root has no asset with this key.
 */
export type SourceVerdict = AssetReason | 'unchanged' | 'touched' | 'later' | 'refused' | 'absent';

export interface KeyVerdict {
  /** The asset's key, or the given text if there is no asset. */
  key: string;
  verdict: SourceVerdict;
  source: AssetSource | null;
  /** The first stage that is repeated. Null if no stage is, or if the asset is processed from its source file on. */
  startStage: Stage | null;
  /** Previous key of a moved source. Null if the source was not moved or its work is not taken over. */
  movedFrom: string | null;
  /** New key of the moved source that had this key. Null if there is none, or if its work is not taken over. */
  movedTo: string | null;
  refusal: { code: string; message: string } | null;
}

const emptyVerdict = {
  source: null,
  startStage: null,
  movedFrom: null,
  movedTo: null,
  refusal: null,
};

/** @param keyOrSource a key, a path, or a platform id */
export function keyVerdictOf(keyOrSource: string, findings: DiscoveredAssets): KeyVerdict {
  const name = keyOrSource.normalize('NFC');
  const match =
    findings.classified.find(({ key }) => key === name) ??
    findings.classified.find(({ source }) => isSourceNamed(source, name));
  if (!match) {
    const failure = findings.refused.find(({ key }) => isPathNamed(key.normalize('NFC'), name));
    const refusal = failure ? { code: failure.code, message: failure.message } : null;
    const move = findings.moved?.isTaken && findings.moved.moved.find(({ from }) => from === name);
    const verdict = refusal ? 'refused' : 'absent';
    return { ...emptyVerdict, key: name, verdict, movedTo: move ? move.key : null, refusal };
  }
  const { key, source, status } = match;
  const baseVerdict = { ...emptyVerdict, key, source };
  const runAsset = findings.assets.find((asset) => asset.key === key);
  if (status.reason === 'unchanged' && runAsset?.reason !== 'age')
    return { ...baseVerdict, verdict: 'unchanged' };
  if (runAsset) {
    const { reason, moved } = runAsset;
    const startStage = findStartStage(runAsset);
    return { ...baseVerdict, verdict: reason, startStage, movedFrom: moved?.key ?? null };
  }
  const isTouched = findings.touched.some(({ record }) => record.key === key);
  return { ...baseVerdict, verdict: isTouched ? 'touched' : 'later' };
}

/** True for the platform id of the source, or the path of one of its files. */
function isSourceNamed(source: AssetSource, name: string): boolean {
  if (source.id !== undefined) return source.id === name;
  return [source.path, ...sourcePathsOf(source)].some((path) => path.normalize('NFC') === name);
}

/** True for a refused source's path, with or without extension. */
function isPathNamed(path: string, name: string): boolean {
  return path === name || path.replace(/\.[^./]+$/, '') === name;
}
