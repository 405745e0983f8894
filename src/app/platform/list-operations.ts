import type { OperationRow } from '../../api/contract/operation.ts';
import { familyOf } from '../../api/operation-families.ts';
import { operations } from '../../api/operations/index.ts';
import { findNearestName } from '../../api/requests/nearest-name.ts';
import { commandFailures } from '../../failures/commands.ts';
import { RenderlineError } from '../renderline-error.ts';

export type OperationsList = ReturnType<typeof listOperations>;

/** Lists all operations, or only the given one. @throws RenderlineError UNKNOWN_OPERATION */
export function listOperations(only?: string) {
  const rows: OperationRow[] =
    only === undefined ? Object.values(operations) : [requireOperation(only)];
  return {
    schema: 'renderline/operations/v1' as const,
    operations: rows.map((row) => ({
      id: row.id,
      family: familyOf(row).title,
      route: row.route,
      /** Name of the MCP tool. Null if the operation has none. */
      tool: row.tool ?? null,
      summary: row.summary,
      section: row.section,
      query: Object.keys(row.query?.shape ?? {}),
      keyed: row.hasIdempotencyKey,
      deprecated: row.deprecated === true,
    })),
  };
}

/** @throws RenderlineError UNKNOWN_OPERATION, which suggests a similar operation if there is one */
export function requireOperation(id: string): OperationRow {
  const rows: Readonly<Record<string, OperationRow>> = operations;
  const row = Object.hasOwn(rows, id) ? rows[id] : undefined;
  if (row !== undefined) return row;
  const suggestion = findNearestName(id, Object.keys(rows));
  throw new RenderlineError(
    commandFailures.UNKNOWN_OPERATION,
    `The operation "${id}" does not exist.${suggestion === null ? '' : ` Did you mean "${suggestion}"?`}`,
  );
}
