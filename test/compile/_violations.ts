// Validates a value against a JSON schema with a standard validator.
import { Ajv, type ErrorObject } from 'ajv';
import type { AnnotatedSchema } from '../../src/compile/yaml/annotations.ts';

// The compilation fails for an unresolved reference or an unknown keyword.
const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  formats: { date: /^\d{4}-\d\d-\d\d$/ },
});

/** Paths of all violations, such as `nodes[1].type: enum`. */
export function violations(schema: AnnotatedSchema, value: unknown): string[] {
  // Ajv caches compiled schemas by object.
  const validate = ajv.compile(schema);
  return validate(value) ? [] : (validate.errors ?? []).filter(isOwnMatter).map(wordsOf);
}

/** Skips violations of a whole choice and of a type's rules, since both repeat other violations. */
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
