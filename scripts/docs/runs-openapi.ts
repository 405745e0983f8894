// The OpenAPI description of starting runs over HTTP, for programs that generate a client from it.
import type { z } from 'zod';
import { toJsonSchema } from '../../src/api/contract/json-schema.ts';
import {
  idempotencyKeyHeader,
  runSignatureHeader,
  timestampHeader,
} from '../../src/receiver/runs/credentials.ts';
import { Problem, RunRequest, RunState, StartedRun } from '../../src/receiver/runs/messages.ts';

const createParameter = (
  name: string,
  position: 'path' | 'header',
  description: string,
  extraFields: object = {},
) => ({
  name,
  in: position,
  description,
  schema: { type: 'string' },
  ...extraFields,
});

const pipelineName = createParameter('pipeline', 'path', 'Name of the pipeline.', {
  required: true,
});
const timestamp = createParameter(
  timestampHeader,
  'header',
  'For signed requests: Unix time in seconds, at most five minutes from the clock of the receiver.',
);

const security = [{ bearer: [] }, { signature: [] }];

function createJsonContent(schema: string, type = 'application/json') {
  return { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } };
}

const refusals: Readonly<Record<string, string>> = {
  400: 'The body, a parameter or the Idempotency-Key is invalid; `errors` names each field.',
  401: 'The pipeline does not exist, the credential is wrong, or the signature is too old. The response is the same for all three.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The Idempotency-Key was used for another request, nothing matches `only`, or a limit of the pipeline would be exceeded.',
  429: 'The caller has sent too many requests. `Retry-After` contains the number of seconds to wait.',
  500: "See the receiver's log for the reason.",
  503: 'Everything is paused (`ALL_PAUSED`), or Temporal or the platform does not respond. `Retry-After` contains the number of seconds to wait.',
};

function createRefusals(
  statuses: readonly number[],
  others: Readonly<Record<string, string>> = {},
) {
  const descriptions = [
    ...statuses.map((status) => [String(status), refusals[status]]),
    ...Object.entries(others),
  ];
  return Object.fromEntries(
    descriptions.map(([status, description]) => [
      status,
      { description, content: createJsonContent('Problem', 'application/problem+json') },
    ]),
  );
}

const location = {
  location: { description: 'Path of the state of the run.', schema: { type: 'string' } },
};

const schemas: Readonly<Record<string, [z.ZodType, 'input' | 'output']>> = {
  RunRequest: [RunRequest, 'input'],
  StartedRun: [StartedRun, 'output'],
  RunState: [RunState, 'output'],
  Problem: [Problem, 'output'],
};

/** Creates the OpenAPI 3.1 document of the HTTP interface that starts runs. */
export function createRunsOpenApi() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Start runs by HTTP',
      version: '1',
      description:
        'Served by `renderline webhooks --allow-runs`, for pipelines that were applied with `start:`.',
    },
    servers: [{ url: 'http://127.0.0.1:8099' }],
    paths: {
      '/pipelines/{pipeline}/runs': {
        parameters: [pipelineName],
        post: {
          operationId: 'startRun',
          summary: 'Start a run, or preview it.',
          security,
          parameters: [
            createParameter(
              idempotencyKeyHeader,
              'header',
              'Your id for this start. Requests with the same id start one run. Required unless `dryRun` is true.',
              { schema: { type: 'string', minLength: 1, maxLength: 257 } },
            ),
            timestamp,
          ],
          requestBody: { required: true, content: createJsonContent('RunRequest') },
          responses: {
            200: {
              description: 'Nothing was started: a dry run, or there is nothing to do.',
              content: createJsonContent('StartedRun'),
            },
            202: {
              description:
                'The run was started by this request or by an earlier request with the same key.',
              headers: location,
              content: createJsonContent('StartedRun'),
            },
            ...createRefusals([400, 401, 413, 415, 422, 429, 500, 503]),
          },
        },
      },
      '/pipelines/{pipeline}/runs/{run}': {
        parameters: [
          pipelineName,
          createParameter('run', 'path', 'Id of the run.', { required: true }),
        ],
        get: {
          operationId: 'readRun',
          summary: 'Read the state of a run.',
          security,
          parameters: [timestamp],
          responses: {
            200: { description: 'The state.', content: createJsonContent('RunState') },
            ...createRefusals([401, 429, 500, 503], {
              404: 'The run does not exist in the pipeline.',
            }),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: runSignatureHeader,
          description:
            '`v1=` followed by the hexadecimal HMAC-SHA256 of these lines, with the secret as the key: timestamp, method, path, Idempotency-Key (empty if there is no key), body.',
        },
      },
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, [schema, io]]) => [name, toJsonSchema(schema, io)]),
      ),
    },
  };
}
