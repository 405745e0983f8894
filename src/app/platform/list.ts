// `renderline api --list`: lists all operations by family.

import type { OperationRow } from '../../api/contract/operation.ts';
import { families, familyOf } from '../../api/families.ts';
import { nearest } from '../../api/requests/nearest-name.ts';
import type { Session } from '../../cli/session.ts';
import { commandFailures } from '../../failures/commands.ts';
import { RenderlineError } from '../renderline-error.ts';

/** Lists all operations, or only the named one. */
export function listOperations(
  app: Session,
  rows: readonly OperationRow[],
  only: string | undefined,
): void {
  const chosen = rows.filter(({ id }) => only === undefined || id === only);
  if (only !== undefined && chosen.length === 0) {
    throwUnknownOperation(
      only,
      rows.map(({ id }) => id),
    );
  }
  const shape = {
    schema: 'renderline/operations/v1',
    operations: chosen.map((row) => ({
      id: row.id,
      family: familyOf(row).title,
      route: row.route,
      tool: row.tool ?? null,
      summary: row.summary,
      section: row.section,
      query: Object.keys(row.query?.shape ?? {}),
      keyed: row.keyed,
      deprecated: row.deprecated === true,
    })),
  };
  app.output.result(shape, () => formatOperations(chosen, app));
}

function formatOperations(rows: readonly OperationRow[], { output }: Session): string {
  const width = Math.max(0, ...rows.map(({ id }) => id.length));
  const groups = families.map(({ section, title }) => {
    const own = rows.filter((row) => row.section === section);
    const lines = own.flatMap((row) => {
      const path =
        row.route ?? '(path not in the API reference; taken from the live OpenAPI document)';
      const tool = row.tool === undefined ? '' : `  tool ${row.tool}`;
      const end = row.deprecated ? '  deprecated' : '';
      return [
        `${row.id.padEnd(width)}  ${output.paint('dim', `${path}${tool}${end}`)}`,
        `${' '.repeat(width)}  ${row.summary}`,
      ];
    });
    return lines.length === 0 ? [] : [output.paint('bold', `${title} (${section})`), ...lines];
  });
  return groups
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** @throws RenderlineError that suggests the most similar operation. */
export function throwUnknownOperation(name: string, ids: readonly string[]): never {
  const near = nearest(name, ids);
  throw new RenderlineError(
    commandFailures.UNKNOWN_OPERATION,
    `There is no operation "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`,
  );
}
