// Reads cells in records of earlier versions, which named a colorway and a view in fields of their own. Pure.
import type { Cell, Position } from '../../plan/grid.ts';
import type { Json } from '../../plan/types.ts';

interface EarlierSource {
  colorway?: { name: string; model: string; rules: Record<string, Json>[] };
  view?: { name: string; of: string; fingerprint: string };
}

/** Replaces the earlier fields of a source by its cell. */
export function withCell<Source extends { cell?: Cell }>(source: Source & EarlierSource): Source {
  const { colorway, view, ...rest } = source;
  const group = colorway?.model ?? view?.of;
  if (group === undefined) return source;
  const positions: Position[] = [];
  if (colorway) {
    const payload = colorway.rules.map(({ matchText, matchMode, material, materialId }) => [
      matchText ?? null,
      matchMode ?? null,
      material ?? null,
      materialId ?? null,
    ]);
    positions.push({ dimension: 'colorway', name: colorway.name, payload });
  }
  if (view) positions.push({ dimension: 'view', name: view.name, payload: view.fingerprint });
  // What remains is the source without the earlier fields, which its type does not have.
  return { ...(rest as unknown as Source), cell: { group, positions } };
}
