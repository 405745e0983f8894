// Computes an asset's key from its source, using the pipeline's `key:`.
import { compileExpression, sourceFieldsOf } from '../../language/expressions.ts';
import { findColumn, parseTemplate, renderPieces } from '../../language/naming/naming.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { AssetSource, Json } from '../../plan/types.ts';

type KeyMaker = (source: AssetSource) => string;

/**
 * Creates the function that computes asset keys.
 * @param key template over path, folder, name, ext, id and row columns, or CEL expression over `asset` and `row`
 */
export function createKeyMaker(key: string, parameters: Record<string, Json>): KeyMaker {
  return key.includes('{{') ? compileKeyTemplate(key) : compileKeyExpression(key, parameters);
}

function compileKeyTemplate(template: string): KeyMaker {
  const pieces = parseTemplate(template);
  return (source) => {
    const { path, folder, name, extension, id } = sourceFieldsOf(source);
    const fields: Record<string, string> = { path, folder, name, ext: extension, id };
    const text = renderPieces(pieces, (field) => {
      const column = findColumn(field);
      return String((column === null ? fields[field] : source.row?.values[column]) ?? '');
    });
    // Leading slashes are removed, because an empty folder must not leave an absolute key.
    return text.replace(/^\/+/, '');
  };
}

function compileKeyExpression(source: string, params: Record<string, Json>): KeyMaker {
  const compiled = compileExpression(source);
  if (!compiled.ok) throw new TypeError(`key: ${compiled.problem.message}`);
  return ({ path, id, row }) => {
    // A key must not depend on the content, so size and time are set to 0 and platform objects have no values.
    const plain = { path, bytes: 0, mtimeMs: 0, ...omitUndefined({ id }) };
    const asset = { key: '', ...sourceFieldsOf(plain) };
    const none = { id: '', category: '', properties: {} };
    const platform = { model: none, template: { id: '' }, project: { id: '' } };
    return String(compiled.evaluate({ asset, params, ...platform, row: row?.values ?? {} }));
  };
}
