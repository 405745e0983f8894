// Searches assets by property values: filters them, counts the matches and splits them into pages.

import { type assetOperations, PropertyFilters } from 'renderline/api/operations/assets';
import type { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import { describeIssues } from '../http/decode.ts';
import { refuseInput } from '../http/failure.ts';
import type { Store } from '../state/store.ts';
import { type Asset, assetsOf } from './assets.ts';
import { compileFilters } from './filter.ts';
import { type AssetValues, findValues } from './values.ts';

/** Returns one page of the matches, newest first, and their total number. */
export function search(
  sandbox: Sandbox,
  { assetType, properties, limit, offset }: z.output<typeof assetOperations.searchAssets.body>,
): { page: Asset[]; total: number } {
  const { store } = sandbox;
  const matches = compileFilters(properties, {
    assetType,
    find: (id) => store.properties.get(id),
    unknownProperty: 'NOT_FOUND',
  });
  const assets = assetsOf(sandbox, assetType);
  const page: Asset[] = [];
  let total = 0;
  for (let index = assets.length - 1; index >= 0; index -= 1) {
    const asset = assets[index];
    if (!asset || !matches(findValues(store, assetType, asset.id))) continue;
    if (total >= offset && page.length < limit) page.push(asset);
    total += 1;
  }
  return { page, total };
}

/** Compiles the `properties` query of GET /models to a test of a model's values. @throws ApiFailure VALIDATION_ERROR */
export function compileModelFilter(store: Store, text: string): (values: AssetValues) => boolean {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    refuseInput('properties: not valid JSON');
  }
  const filters = PropertyFilters.safeParse(json);
  if (!filters.success) {
    refuseInput(`properties: ${describeIssues('filters', filters.error)}`);
  }
  return compileFilters(filters.data, {
    assetType: 'MODEL',
    find: (id) => store.properties.get(id),
    unknownProperty: 'VALIDATION_ERROR',
  });
}
