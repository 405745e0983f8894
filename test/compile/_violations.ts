// What a JSON schema has against a value, as a validator of the draft says it.
import { Ajv, type ErrorObject } from 'ajv';
import type { JsonSchema } from '../../src/compile/yaml/marks.ts';

// A reference that leads nowhere, or a keyword that there is not, fails the compilation.
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });

/** Paths of everything that does not fit, such as `nodes[1].type: enum`. */
export function violations(schema: JsonSchema, value: unknown): string[] {
  // Ajv keeps what it has compiled by the schema object.
  const validate = ajv.compile(schema);
  return validate(value) ? [] : (validate.errors ?? []).filter(isOwnMatter).map(wordsOf);
}

/** Not that one of several choices does not fit, and not that the rules of a type do not: both are said again. */
function isOwnMatter({ schemaPath, keyword }: ErrorObject): boolean {
  const isOfChoice = /\/anyOf\/\d+\/|^#\/definitions\//.test(schemaPath);
  return !isOfChoice && keyword !== 'if' && keyword !== 'propertyNames';
}

function wordsOf({ instancePath, keyword, params, propertyName }: ErrorObject): string {
  const names: unknown[] = [propertyName, params['missingProperty'], params['additionalProperty']];
  const steps = [
    ...instancePath.split('/').slice(1),
    ...names.filter((name) => typeof name === 'string'),
  ];
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return `${path.replace(/^\./, '') || 'file'}: ${keyword}`;
}
