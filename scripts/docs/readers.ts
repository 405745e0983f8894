// Lists the places that parse untrusted bytes, with their limits. `test/architecture/readers.test.ts` detects places
// that are missing from the list.

import { jsonBounds } from '../../src/api/responses/bounded-json.ts';
import { maxListBytes, responseBounds } from '../../src/api/responses/response-limits.ts';
import { maxFileLength } from '../../src/compile/yaml/document.ts';
import { maxResponseBytes, maxResponseTags } from '../../src/connectors/bucket/bounded-response.ts';
import { tableBytes } from '../../src/features/variants/grid/colorway-axis.ts';
import { maxCells } from '../../src/features/variants/grid/colorway-table.ts';
import { maxJsonBytes } from '../../src/glb/container.ts';
import { maxJsonDepth, maxJsonMemory } from '../../src/glb/gltf-json.ts';
import { formatNumber } from '../../src/plan/helpers/format-count.ts';
import { maxBodyBytes } from '../../src/receiver/request-body.ts';
import { maxRequestBytes, requestBounds } from '../../src/receiver/runs/messages.ts';
import { maxFileBytes } from '../../src/settings/config-file.ts';
import { maxDepth, maxTokens } from '../../src/settings/yaml-nesting.ts';
import { maxIcsBytes } from '../../src/tables/read-ics.ts';
import { processBounds } from '../../src/tables/table-process.ts';
import { formatBytes as inBytes } from './markdown.ts';

export interface Reader {
  reads: string;
  /** Limits that are checked before parsing. */
  bound: string;
  files: readonly string[];
  tests: readonly string[];
}

const formatJsonBounds = ({ values, depth }: { values: number; depth: number }) =>
  `${formatNumber(values)} values, ${formatNumber(depth)} levels`;

export const readers: readonly Reader[] = [
  {
    reads: 'pipelines and their tests',
    bound: `${inBytes(maxFileLength)} of any file or device; ${formatNumber(maxTokens)} tokens and ${maxDepth} levels by the lexer`,
    files: [
      'src/settings/yaml-nesting.ts',
      'src/compile/yaml/load.ts',
      'src/compile/yaml/find-unquoted-braces.ts',
      'src/compile/platform-file.ts',
    ],
    tests: ['test/compile/hostile.test.ts'],
  },
  {
    reads: '`renderline.yaml`, key files',
    bound: `${inBytes(maxFileBytes)} of any file or device (encryption keys: 64 KiB); tokens and levels as above`,
    files: [
      'src/settings/read-bounded-file.ts',
      'src/settings/config-file.ts',
      'src/settings/secrets/key-file.ts',
    ],
    tests: ['test/settings/config.test.ts'],
  },
  {
    reads: 'tables of colorways, and tables under `data:`',
    bound: `${inBytes(tableBytes)}, ${formatNumber(maxCells)} cells; CSV and workbooks in a process of ${inBytes(processBounds.memoryBytes)}`,
    files: [
      'src/tables/read-table.ts',
      'src/tables/parse-csv.ts',
      'src/tables/xlsx-repairs.ts',
      'src/tables/read-xlsx.ts',
    ],
    tests: [
      'test/features/table-bounds.test.ts',
      'test/engine/rows.test.ts',
      'test/extended/hostile-tables.test.ts',
    ],
  },
  {
    reads: 'calendars (.ics) of schedules',
    bound: `${inBytes(maxIcsBytes)}; in a process of ${inBytes(processBounds.memoryBytes)} and a minute`,
    files: ['src/tables/read-ics.ts'],
    tests: ['test/tables/read-ics.test.ts', 'test/app/schedules/calendars.test.ts'],
  },
  {
    reads:
      'the JSON of GLB and glTF; of other models, textures, videos and PDFs the first and last bytes alone',
    bound: `${inBytes(maxJsonBytes)}, ${inBytes(maxJsonMemory)} of memory when parsed, ${maxJsonDepth} levels`,
    files: ['src/glb/gltf-json.ts'],
    tests: ['test/glb/nonstandard-files.test.ts', 'test/glb/inspect-model.test.ts'],
  },
  {
    reads: "models that Khronos' validator checks, if a pipeline asks for it",
    bound: '128 MiB, in a process with 512 MB of heap and a minute',
    files: ['src/features/model-rules/khronos-validator.ts'],
    tests: ['test/features/model-rules/khronos-validator.test.ts'],
  },
  {
    reads: 'responses of the platform and of its storage',
    bound: `${inBytes(maxListBytes)}, ${formatJsonBounds(responseBounds)}; refusals 64 KiB, responses of storage 4 KiB`,
    files: [
      'src/api/decode.ts',
      'src/api/responses/bounded-json.ts',
      'src/api/download.ts',
      'src/api/upload.ts',
      'src/api/network/decoded-body.ts',
      'src/api/network/transfer-agent.ts',
    ],
    tests: ['test/api/response-limits.test.ts'],
  },
  {
    reads: 'records and the calls in them',
    bound: `16 MiB an object, ${formatJsonBounds(jsonBounds)}`,
    files: [
      'src/store/objects/json-objects.ts',
      'src/store/calls/intents.ts',
      'src/store/calls/own-objects.ts',
      'src/store/search/find-id.ts',
      'src/store/search/id-sightings.ts',
      'src/engine/submit/creation.ts',
      'src/features/paid-work.ts',
    ],
    tests: ['test/store/json-objects.test.ts'],
  },
  {
    reads: 'listings and error responses of S3, Azure and Google Cloud',
    bound: `${inBytes(maxResponseBytes)}; of S3 ${formatNumber(maxResponseTags)} tags and no declaration; of Google Cloud ${formatJsonBounds(jsonBounds)}`,
    files: [
      'src/connectors/bucket/bounded-response.ts',
      'src/connectors/s3-bucket.ts',
      'src/connectors/gcs-bucket.ts',
    ],
    tests: ['test/connectors/hostile-store.test.ts'],
  },
  {
    reads: 'notifications',
    bound: inBytes(maxBodyBytes),
    files: ['src/receiver/event.ts', 'src/receiver/notification-problems.ts'],
    tests: ['test/receiver/server.test.ts'],
  },
  {
    reads: 'requests to start runs',
    bound: `${inBytes(maxRequestBytes)}, ${formatJsonBounds(requestBounds)}`,
    files: ['src/receiver/runs/run-request-handler.ts'],
    tests: ['test/receiver/run-requests.test.ts'],
  },
  {
    reads: 'wake-ups of a receiver, and its health',
    bound: `4 MiB, ${formatJsonBounds(jsonBounds)}; 64 KiB`,
    files: ['src/receiver/listen-for-wake-ups.ts', 'src/app/doctor/remote.ts'],
    tests: ['test/receiver/listen-for-wake-ups.test.ts'],
  },
  {
    reads: 'requests to the codec server',
    bound: '8 MiB, 250,000 values, 8 levels',
    files: ['src/temporal/codec/codec-server.ts'],
    tests: ['test/temporal/codec/codec-server.test.ts'],
  },
];
