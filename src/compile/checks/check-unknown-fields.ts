// Where any field is accepted, a name that is close to a known field is probably a typo and causes a warning.

import { findNearestName } from '../../api/requests/nearest-name.ts';
import type { Json } from '../../plan/types.ts';
import { toFields } from '../node-draft.ts';
import type { AnnotatedSchema } from '../yaml/annotations.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';
import { formatPath } from '../yaml/shape.ts';

export function checkUnknownFields(
  schema: AnnotatedSchema,
  value: Json,
  basePath: Path,
  document: LocatedDocument,
): void {
  const fields = toFields(value);
  const { properties, additionalProperties } = schema;
  if (fields === null || properties === undefined) return;
  const knownNames = Object.keys(properties);
  for (const [name, item] of Object.entries(fields)) {
    const path = [...basePath, name];
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field !== undefined) {
      checkUnknownFields(field, item, path, document);
      continue;
    }
    const nearestName = additionalProperties === false ? null : findNearestName(name, knownNames);
    if (nearestName === null) continue;
    const message = `"${name}" is not a known field of ${formatPath(basePath)}; it is passed on unchanged`;
    const hint = `Did you mean "${nearestName}"?`;
    document.warningAtKey('RL201', path, message, hint);
  }
}
