// Helpers for tests of properties.
import type { TestResponse, TestSandbox } from './_test-sandbox.ts';

/** Status and code of refused requests. */
export const bad = [400, 'VALIDATION_ERROR'];
export const missing = [404, 'NOT_FOUND'];

export interface Definition {
  id: string;
  name: string;
  key: string;
  type: string;
  appliesTo: string[];
  options: {
    id: string;
    label: string;
    color: string | null;
    sortOrder: number;
    archived: boolean;
  }[];
  archived: boolean;
  dateRange?: boolean;
}

export interface Value {
  propertyId: string;
  optionIds?: string[];
  text?: string;
  number?: number;
  date?: number;
  endDate?: number;
}

export interface Found {
  assetType: string;
  assets: { id: string; name: string; assetType: string; properties: Value[] }[];
  total: number;
  limit: number;
  offset: number;
}

/** Creates a property of this type. */
export async function define(
  sandbox: TestSandbox,
  type: string,
  more: object = {},
): Promise<Definition> {
  const answer = await sandbox.call<Definition>('POST /properties', { name: type, type, ...more });
  if (answer.status !== 201) throw new Error(`No property was made: ${answer.text}`);
  return answer.body;
}

/** Id of the option with this label. */
export function optionId({ options }: Definition, label: string): string {
  const option = options.find((one) => one.label === label);
  if (!option) throw new Error(`There is no option ${label}.`);
  return option.id;
}

/** Creates a model record without a file. */
export async function model(sandbox: TestSandbox, name = 'chair'): Promise<string> {
  const { body } = await sandbox.call<{ models: { modelId: string }[] }>('POST /models', {
    models: [{ fileType: 'glb', name }],
  });
  return body.models[0]?.modelId ?? '';
}

export async function write(
  sandbox: TestSandbox,
  ids: readonly string[],
  more: object,
): Promise<TestResponse<{ updated: number; error?: { code: string; message: string } }>> {
  return sandbox.call('POST /assets/properties', { assetType: 'MODEL', ids, ...more });
}

/** Values of a model, without the fields of the property definitions. */
export async function valuesOf(
  sandbox: TestSandbox,
  id: string,
  assetType = 'MODEL',
): Promise<Value[]> {
  const { body } = await sandbox.call<{ properties: (Value & Record<string, unknown>)[] }>(
    `GET /assets/${assetType}/${id}/properties`,
  );
  return body.properties.map(({ key: _key, name: _name, type: _type, ...value }) => value);
}

export async function search(
  sandbox: TestSandbox,
  properties: object[],
  more: object = {},
): Promise<TestResponse<Found>> {
  return sandbox.call('POST /assets/search', { assetType: 'MODEL', properties, ...more });
}

/** Status and code of a refusal. */
export function refusal(answer: TestResponse<object>): [number, string | undefined] {
  const { error } = answer.body as { error?: { code: string } };
  return [answer.status, error?.code];
}
