// Generates the page of all input limits. The numbers are imported from the code that enforces them.

import { maxRedirects } from '../../src/api/download.ts';
import { maxListItems, maxPages } from '../../src/api/responses/list-bounds.ts';
import { maxPlainTextLength } from '../../src/api/responses/plain-text.ts';
import {
  maxResponseItems as itemsOfAnswer,
  maxListBytes,
  maxResourceBytes,
  responseBounds,
} from '../../src/api/responses/response-limits.ts';
import {
  maxDataLength,
  maxIdLength,
  maxObjectNameLength,
} from '../../src/api/responses/response-values.ts';
import { maxResponseBytes } from '../../src/connectors/bucket/bounded-response.ts';
import { maxNameBytes, maxPathChars } from '../../src/connectors/safe-path.ts';
import { maxIds } from '../../src/engine/discovery/selection-fields.ts';
import { maxRowChars } from '../../src/engine/rows/open-rows.ts';
import {
  maxDataBytes,
  maxDataCells,
  maxDataGlobs,
  maxDataRows,
} from '../../src/engine/rows/open-table.ts';
import { maxImages } from '../../src/features/delivery/images/image-options.ts';
import { maxKeywords } from '../../src/features/delivery/metadata/metadata-fields.ts';
import { maxOutputBytes } from '../../src/features/delivery/outputs/fetch-with-retry.ts';
import { maxOutputs } from '../../src/features/delivery/outputs/outputs.ts';
import {
  alwaysDecodedPixels,
  maxUpscaleFactor,
} from '../../src/features/renders/requested-pixels.ts';
import { maxChosenLength } from '../../src/features/variants/choose-variants.ts';
import {
  maxRules,
  maxTableGlobs,
  tableBytes,
} from '../../src/features/variants/grid/colorway-axis.ts';
import {
  maxCells,
  maxCellValueLength,
  maxColorways,
  maxRows,
} from '../../src/features/variants/grid/colorway-table.ts';
import { maxChunks, maxJsonBytes } from '../../src/glb/container.ts';
import { maxReadBytes } from '../../src/glb/geometry.ts';
import { maxJsonDepth, maxJsonMemory } from '../../src/glb/gltf-json.ts';
import { maxNodeDepth } from '../../src/glb/node-tree.ts';
import { maxValueLength } from '../../src/language/fields.ts';
import { maxPathBytes, maxSegmentBytes } from '../../src/language/naming/naming.ts';
import {
  bytesPerDerivedPixel,
  maxConcurrentDecodes as decodersAtOnce,
  decodeTimeoutMs as decodingMs,
  defaultMemoryBytes,
  deriveTimeoutMs,
} from '../../src/pictures/decoding/decode.ts';
import { maxImagePixels, maxImageSide } from '../../src/pictures/image-spec.ts';
import { maxPacketBytes } from '../../src/pictures/metadata/xmp-packet.ts';
import {
  maxBytes as besideAtMost,
  maxPackedProfile,
  maxPackedText,
  maxPieces,
} from '../../src/pictures/metadata-budget.ts';
import {
  defaultDecodedBytes,
  defaultMaxPixels,
  maxBytesPerPixel,
} from '../../src/pictures/picture-header.ts';
import { formatNumber } from '../../src/plan/helpers/format-count.ts';
import { defaultInFlight, maxShards } from '../../src/plan/shard/window.ts';
import { minWithdrawable } from '../../src/plan/withdrawal.ts';
import { maxBodyBytes } from '../../src/receiver/request-body.ts';
import { receiverCaps } from '../../src/receiver/server.ts';
import { deduplicationWindow } from '../../src/receiver/webhook-handler.ts';
import {
  maxObjects,
  maxParts,
  maxPixels,
  maxSeconds,
  maxTriangles,
} from '../../src/sandbox/bounds.ts';
import { bodyBounds } from '../../src/settings/fetch-server.ts';
import { defaultServerTimeouts } from '../../src/settings/http-server.ts';
import { maxKeyChars } from '../../src/store/discovery/asset-keys.ts';
import { maxPageMs, maxPageNames } from '../../src/store/discovery/discover-run.ts';
import { maxFailedImages } from '../../src/store/runs/pictures/failed-images.ts';
import { maxUnpackedBytes, maxWorkbookParts } from '../../src/tables/read-xlsx.ts';
import { processBounds } from '../../src/tables/table-process.ts';
import {
  amount,
  characters,
  failsBy,
  fileLimits,
  fileRefused,
  type Limit,
  languageLimits,
  refusedBy,
} from './file-limits.ts';
import { formatBytes, formatPage, formatTable, generatedNote, toCode } from './markdown.ts';
import { readers } from './readers.ts';

const sources: readonly Limit[] = [
  [
    'the path of a file',
    `${characters(maxPathChars)}, ${formatBytes(maxNameBytes)} per segment`,
    failsBy('HOSTILE_PATH'),
  ],
  [
    'files that are listed before a run starts to process them',
    `${formatNumber(maxPageNames)}, or the files found in ${maxPageMs / 1_000} seconds`,
    'the run continues listing while it works',
  ],
  ['the key of an asset', characters(maxKeyChars), 'the asset is rejected, with the reason'],
  [
    'the path of a delivered file',
    `${maxPathBytes} bytes, ${maxSegmentBytes} bytes per segment`,
    'the path is shortened and gets a hash of the full path',
  ],
  [
    'a table of colorways',
    `${formatBytes(tableBytes)}, ${amount(maxRows, 'rows')}, ${amount(maxCells, 'cells, empty ones included')}, ${amount(maxColorways, 'colorways')}, ${amount(maxTableGlobs, 'globs')}, ${characters(maxCellValueLength)} per value; ${amount(maxRules, 'materials for all models of one listing')}; CSV is parsed in a separate process: ${formatBytes(processBounds.memoryBytes)}, ${amount(processBounds.timeoutMs / 1_000, 'seconds')}`,
    `the run stops: ${toCode('COLORWAY_TABLE')}`,
  ],
  [
    'a table under `data:`',
    `${formatBytes(maxDataBytes)}, ${amount(maxDataRows, 'rows')}, ${amount(maxDataCells, 'cells, empty ones included')}, ${amount(maxDataGlobs, 'globs')}; a workbook ${formatBytes(maxUnpackedBytes)} unpacked, ${amount(maxWorkbookParts, 'files')}; CSV and workbooks are read in a separate process with the limits above`,
    `the run stops: ${toCode('DATA_TABLE')}`,
  ],
  [
    'the values in the row of an asset, in the columns that the pipeline reads',
    characters(maxRowChars),
    failsBy('ROW_INVALID'),
  ],
  [
    'the JSON of a model file',
    `${formatBytes(maxJsonBytes)}, ${formatBytes(maxJsonMemory)} in memory, ${amount(maxJsonDepth, 'levels')}`,
    fileRefused,
  ],
  ['chunks of a GLB', formatNumber(maxChunks), fileRefused],
  [
    'a GLB or glTF whose vertices and textures are checked before the upload',
    formatBytes(maxReadBytes),
    'of a larger file, the JSON is checked, and buffers and accessors by their sizes',
  ],
  [
    'models in the sandbox: triangles, parts of all nodes together, listed elements, node depth',
    `${formatNumber(maxTriangles)}, ${formatNumber(maxParts)}, ${formatNumber(maxObjects)}, ${formatNumber(maxNodeDepth)}`,
    'the model fails, with the reason',
  ],
  [
    'images that are uploaded to the sandbox, also inside models; SVG images are never rendered',
    `${formatNumber(maxPixels)} pixels, ${amount(maxSeconds, 'seconds')} of decoding; other content as for pictures below`,
    'the item fails, with the reason',
  ],
];

const platform: readonly Limit[] = [
  [
    'a response of the platform: with lists, without lists',
    `${formatBytes(maxListBytes)}, ${formatBytes(maxResourceBytes)}`,
    `the call fails: ${toCode('API_UNEXPECTED')}`,
  ],
  [
    'the content of a response',
    `${amount(responseBounds.values, 'values')}, ${amount(responseBounds.depth, 'levels')}, per list the requested number of items or ${amount(itemsOfAnswer, 'items')}`,
    `the call fails: ${toCode('API_UNEXPECTED')}`,
  ],
  [
    'a list of the platform',
    `${amount(maxListItems, 'items')}, ${amount(maxPages, 'pages')}`,
    'reading the list ends with an error',
  ],
  [
    'a message, a name in a response',
    `${maxPlainTextLength}, ${characters(maxObjectNameLength)}`,
    'the text is cut off',
  ],
  [
    'an id, a link or a type in a response',
    `${maxIdLength}, ${characters(maxDataLength)}`,
    'the value is unreadable',
  ],
  [
    'a file that is downloaded',
    `${formatBytes(maxOutputBytes)}, ${amount(maxRedirects, 'redirects')}`,
    'the asset fails',
  ],
  ['outputs of a render job', formatNumber(maxOutputs), failsBy('TOO_MANY_OUTPUTS')],
  ['selected variants of a model', formatNumber(maxChosenLength), failsBy('TOO_MANY_VARIANTS')],
  ['ids in a list of a selection', formatNumber(maxIds), refusedBy('RL204')],
];

const pictures: readonly Limit[] = [
  [
    'pixels of a picture',
    `\`verify.maxPixels\`: ${formatNumber(maxUpscaleFactor)} times the requested size, at least ${formatNumber(alwaysDecodedPixels)}, at most ${formatNumber(defaultMaxPixels)} or the requested size; ${formatNumber(defaultMaxPixels)} if no size was requested`,
    failsBy('OUTPUT_TOO_LARGE'),
  ],
  [
    'memory to decode a picture, estimated from its header: depth, channels, interlacing, scans, strips',
    `${formatBytes(maxBytesPerPixel)} per allowed pixel: ${formatBytes(defaultDecodedBytes)} if no size was requested`,
    failsBy('OUTPUT_TOO_LARGE'),
  ],
  [
    'metadata of a picture',
    `${formatBytes(besideAtMost)} in ${amount(maxPieces, 'pieces')}; compressed text ${formatBytes(maxPackedText)}, compressed profile ${formatBytes(maxPackedProfile)}`,
    failsBy('OUTPUT_TOO_LARGE'),
  ],
  [
    'decoding of pictures',
    `${formatNumber(decodersAtOnce)} concurrently, each in its own process: ${amount(decodingMs / 1_000, 'seconds')}, ${formatBytes(defaultMemoryBytes)}; more only if pictures of more than ${formatNumber(defaultMaxPixels)} pixels were requested`,
    'the process is killed, and the output counts as damaged',
  ],
  [
    'images that an export derives from a picture',
    `${formatNumber(maxImages)} per picture; ${formatNumber(maxImageSide)} pixels per side, ${formatNumber(maxImagePixels)} in total`,
    refusedBy('RL204'),
  ],
  [
    'deriving an image from a picture',
    `in the decoding processes: ${amount(deriveTimeoutMs / 1_000, 'seconds')}, and ${formatBytes(bytesPerDerivedPixel)} more per pixel`,
    failsBy('IMAGE_FAILED'),
  ],
  [
    'metadata that an export writes into a picture',
    `${formatBytes(maxPacketBytes)}, ${amount(maxKeywords, 'keywords')}, ${characters(maxValueLength)} per text before it is filled in`,
    failsBy('METADATA_TOO_LARGE'),
  ],
  [
    'marked copies of images that failed a check',
    `${formatNumber(maxFailedImages)} per run`,
    'a later copy may replace an earlier copy',
  ],
];

const runs: readonly Limit[] = [
  [
    'assets in flight of a run',
    `\`limits.inFlight\`, default ${formatNumber(defaultInFlight)}`,
    'the other assets wait',
  ],
  [
    'assets that a run withdraws',
    `\`limits.withdrawn\`, default a tenth of the recorded assets and at least ${minWithdrawable}`,
    `none of them is withdrawn, and the run does everything else: ${toCode('TOO_MANY_WITHDRAWN')}`,
  ],
  [
    'open shards of a run, including waiting shards and shards that only run side steps',
    formatNumber(maxShards),
    'the other shards wait',
  ],
];

const neighbours: readonly Limit[] = [
  ['a notification of the platform', formatBytes(maxBodyBytes), 'status 413'],
  [
    'a response of an object store that is not an object, such as a page of a listing',
    formatBytes(maxResponseBytes),
    `the run pauses: ${toCode('PLACE_UNREADABLE')}`,
  ],
  ['nested folders in a store: path', characters(maxPathChars), 'skipped with a warning'],
  [
    'connections of the receiver, of one network (/24 of IPv4, /64 of IPv6)',
    `${formatNumber(receiverCaps.maxConnections)}, ${formatNumber(receiverCaps.maxOfNetwork)}`,
    'in the network with the most connections, the connection that has waited longest for a complete request is closed',
  ],
  [
    'a form of `renderline ui`, a request to `mcp --http`, a request to `codec`',
    [bodyBounds.form, bodyBounds.mcp, bodyBounds.codec].map(formatBytes).join(', '),
    'status 413; the rest is not read',
  ],
  [
    'time for the headers and for the body of a request to a server of Renderline',
    `${defaultServerTimeouts.headersMs / 1_000} seconds; ${defaultServerTimeouts.body.graceMs / 1_000} seconds and one second per ${formatBytes(defaultServerTimeouts.body.bytesPerSecond)} received; ${defaultServerTimeouts.requestMs / 1_000} seconds in total`,
    'status 408',
  ],
  [
    'remembered notifications',
    `${formatNumber(deduplicationWindow.max)}, for ${deduplicationWindow.freshForMs / 3_600_000} hours`,
    'notifications older than a forgotten notification get status 400',
  ],
];

export function formatLimitsPage(): string {
  return formatPage(
    generatedNote,
    '# Limits',
    'The limit of each input, and what happens above it. [Why](decisions/030-bounds.md).',
    ...formatSection('Pipeline files', fileLimits),
    ...formatSection('Globs, templates and expressions', languageLimits),
    ...formatSection('Files and tables', sources),
    ...formatSection('The platform', platform),
    ...formatSection('Pictures', pictures),
    ...formatSection('Runs', runs),
    ...formatSection('Servers and stores', neighbours),
    '## Where the limits are checked',
    'Parsed input needs many times the memory of its text. So bytes, values and levels are counted before parsing:',
    formatTable(
      ['input', 'checked before parsing', 'in', 'tests'],
      readers.map(({ reads, bound, files: sources, tests }) => [
        reads,
        bound,
        sources.map(toCode).join(', '),
        tests.map(toCode).join(', '),
      ]),
    ),
  );
}

function formatSection(title: string, limits: readonly Limit[]): string[] {
  return [`## ${title}`, formatTable(['input', 'limit', 'above the limit'], limits)];
}
