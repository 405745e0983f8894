// Real model files next to the repository. If they are missing, tests skip with a message. If empty, tests fail.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../shared/data', import.meta.url));

export const hasSharedData: boolean = existsSync(root);

if (!hasSharedData) {
  console.warn(`Tests with real models are skipped: there is no folder ${root}.`);
}

export function sharedPath(file: string): string {
  return join(root, file);
}

/** Rows of a table in the folder. @throws Error if the table is missing or empty */
export function sharedRows<Row>(table: string): readonly Row[] {
  if (!hasSharedData) return [];
  const lines = readFileSync(sharedPath(table), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length === 0) throw new Error(`${table} holds no rows.`);
  return lines.map((line) => JSON.parse(line) as Row);
}

export type ModelRow = {
  readonly file: string;
  readonly bytes: number;
  readonly container?: string;
  readonly generator?: string | null;
  readonly meshes?: number;
  readonly nodes?: number;
  readonly materials?: readonly (string | null)[];
  readonly variants?: readonly string[];
  readonly primitives?: readonly {
    readonly material: number | null;
    readonly variants: readonly {
      readonly material: number;
      readonly variants: readonly number[];
    }[];
  }[];
  readonly trianglesOfListPrimitives?: number;
  readonly images?: readonly { readonly uri?: string }[];
  readonly animations?: number;
  readonly extensionsRequired?: readonly string[];
  readonly expect?: { readonly verdict: string; readonly level: string | null };
};
