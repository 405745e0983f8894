// The OpenAPI 3.1 document, generated from the operations of the contract. The sandbox serves it at /openapi.json.
import { commonErrors, type ErrorCode, errorCodes } from 'renderline/api/contract/error-codes';
import { toJsonSchema, toParamSchema } from 'renderline/api/contract/json-schema';
import { type OperationRow, splitRoute } from 'renderline/api/contract/operation';
import { ErrorEnvelope } from 'renderline/api/contract/schemas';
import { familyOf, operationFamilies } from 'renderline/api/operation-families';
import { operations } from 'renderline/api/operations/index';
import { routeOf, servedIds } from './routes.ts';

type Json = Record<string, unknown>;
type Document = Json & { openapi: string };

const documents = new Map<string, Document>();

/** Returns the OpenAPI document of this sandbox as plain JSON. @param origin scheme, host and port of the server */
export function describeApi(origin: string): Document {
  const cachedDocument = documents.get(origin);
  if (cachedDocument) return cachedDocument;
  // Clients choose the Host header, so the cache needs a limit.
  if (documents.size > 8) documents.clear();
  const document = openApiDocument(`${origin}/api/v1`);
  documents.set(origin, document);
  return document;
}

function openApiDocument(serverUrl: string): Document {
  const paths: Record<string, Json> = {};
  for (const id of servedIds) {
    const row = operations[id];
    const { method, path } = splitRoute(routeOf(id));
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(row, method, path) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rendering Platform REST API',
      version: '1.0.0',
      description:
        'Models, projects, renders, jobs, library, properties and production files of one workspace. ' +
        'Every failure returns an Error; every POST accepts an Idempotency-Key.',
    },
    servers: [{ url: serverUrl }],
    security: [{ ApiKeyAuth: [] }],
    tags: operationFamilies.map(({ title, section }) => ({
      name: title,
      description: `Section ${section}`,
    })),
    paths,
    components: {
      securitySchemes: { ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: { Error: toJsonSchema(ErrorEnvelope, 'output') },
    },
  };
}

function describe(row: OperationRow, method: string, path: string): Json {
  const isPublic = row.auth === false;
  return {
    operationId: row.id,
    summary: row.summary,
    tags: [familyOf(row).title],
    ...(isPublic ? { security: [] } : {}),
    ...(row.deprecated ? { deprecated: true } : {}),
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: toParamSchema(row, name ?? ''),
      })),
      ...queryParameters(row),
      ...(method === 'POST' ? [idempotencyKey] : []),
    ],
    ...(row.body && {
      requestBody: { required: true, content: describeContent(toJsonSchema(row.body, 'input')) },
    }),
    responses: {
      ...describeSuccesses(row),
      ...describeFailures(isPublic ? row.errors : [...commonErrors, ...row.errors]),
    },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key, endpoint and body return the first response again, for 24 hours',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function queryParameters(row: OperationRow): Json[] {
  if (!row.query) return [];
  const { properties = {}, required = [] } = toJsonSchema(row.query, 'input');
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema;
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function describeSuccesses(row: OperationRow): Json {
  const statuses = typeof row.status === 'number' ? [row.status] : row.status;
  if (row.response === 'redirect') {
    const schema = { type: 'string', format: 'uri' };
    const location = { description: 'Signed URL of the file', schema };
    return { 302: { description: 'Redirect to a signed URL', headers: { Location: location } } };
  }
  const body = describeContent(toJsonSchema(row.response, 'output'));
  return Object.fromEntries(
    statuses.map((status) => [status, { description: row.summary, content: body }]),
  );
}

const limitHeaders = Object.fromEntries(
  [
    ['X-RateLimit-Limit', 'Number of requests per window'],
    ['X-RateLimit-Remaining', 'Number of requests left in this window'],
    ['X-RateLimit-Reset', 'Time at which the window resets, in seconds since 1970'],
    ['Retry-After', 'Seconds to wait before the next request'],
  ].map(([name, description]) => [name, { description, schema: { type: 'integer' } }]),
);

/** Returns one response per status. Several codes can share one. */
function describeFailures(codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, sharing]) => [
      status,
      {
        description: sharing.map((code) => `${code}: ${errorCodes[code].condition}`).join('; '),
        ...(status === 429 ? { headers: limitHeaders } : {}),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(sharing.map((code) => [code, { value: exampleOf(code) }])),
          },
        },
      },
    ]),
  );
}

function exampleOf(code: ErrorCode): Json {
  return { error: { code, message: errorCodes[code].condition } };
}

function describeContent(schema: unknown): Json {
  return { 'application/json': { schema } };
}
