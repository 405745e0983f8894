// Makes an asset's business key from its file, where the pipeline says how.
import { compileExpression, fileFields } from '../compile/expressions.ts';
import { pieces } from '../compile/naming.ts';
import type { Json } from '../plan/types.ts';

/** `key:` of the pipeline: a template over path, folder, name and ext, or CEL over `asset`. */
export function keyMaker(key: string, parameters: Record<string, Json>): (path: string) => string {
  return key.includes('{{') ? fromTemplate(key) : fromExpression(key, parameters);
}

function fromTemplate(template: string): (path: string) => string {
  const parts = pieces(template);
  return (path) => {
    const { folder, name, extension } = fileFields({ path, bytes: 0, mtimeMs: 0 });
    const fields: Record<string, string> = { path, folder, name, ext: extension };
    const text = parts.map((part) => ('text' in part ? part.text : (fields[part.field] ?? '')));
    // An empty folder must not leave an absolute key.
    return text.join('').replace(/^\/+/, '');
  };
}

function fromExpression(source: string, params: Record<string, Json>): (path: string) => string {
  const compiled = compileExpression(source);
  if (!compiled.ok) throw new TypeError(`key: ${compiled.problem.message}`);
  return (path) => {
    // A key must not change with the file's content, so only the path is real here.
    const asset = { key: '', ...fileFields({ path, bytes: 0, mtimeMs: 0 }) };
    const none = { id: '', category: '' };
    return String(
      compiled.evaluate({ asset, params, model: none, template: { id: '' }, project: { id: '' } }),
    );
  };
}
