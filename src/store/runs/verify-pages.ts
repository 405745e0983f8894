// Pages with the progress of a discovery that compares content, each for at most 200 assets, sorted by key.

import type { VerifiedCounts } from '../../plan/contract/verified-counts.ts';
import type { Failure } from '../../plan/types.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { numberName, runFolder } from '../objects/object-name.ts';
import type { RunAsset } from './run-assets.ts';

export interface VerifyResult {
  /** Assets that differ and must be done again. */
  assets: RunAsset[];
  refused: Failure[];
  counts: VerifiedCounts;
}

export interface VerifyPage {
  /** Key of the last asset of the page. */
  last: string;
  result: VerifyResult;
}

export type VerifyPages = JsonFolder<VerifyPage, number>;

/** Opens the pages of a run by number. */
export function openVerifyPages(objects: JsonObjects, run: string): VerifyPages {
  const nameOf = (number: number) => numberName(number, 6);
  return new JsonFolder(objects, `${runFolder(run)}/verified`, 'renderline/verified/v1', nameOf);
}
