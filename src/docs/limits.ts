// Generates the page of all input limits. The numbers are imported from the code that enforces them.

import { maxRedirects } from '../api/download.ts';
import { maxListItems, maxPages } from '../api/responses/list-bounds.ts';
import { maxPlainTextLength } from '../api/responses/plain-text.ts';
import {
  maxResponseItems as itemsOfAnswer,
  maxListBytes,
  maxResourceBytes,
  responseBounds,
} from '../api/responses/response-limits.ts';
import {
  maxDataLength,
  maxIdLength,
  maxObjectNameLength,
} from '../api/responses/response-values.ts';
import { maxExpressions } from '../compile/checks/check-annotations.ts';
import { maxPlanBytes } from '../compile/compile.ts';
import { maxIncludes, maxNodes } from '../compile/pipeline.ts';
import { maxExceptions, maxSchedules } from '../compile/schedule-fields.ts';
import { maxAliases, maxFileLength, maxTextLength, maxValues } from '../compile/yaml/document.ts';
import { maxPerSeverity } from '../compile/yaml/findings.ts';
import { maxResponseBytes } from '../connectors/bucket/bounded-response.ts';
import { maxNameBytes, maxPathChars } from '../connectors/safe-path.ts';
import { maxIds } from '../engine/discovery/selection-fields.ts';
import { maxRowChars } from '../engine/rows/open-rows.ts';
import {
  maxDataBytes,
  maxDataCells,
  maxDataGlobs,
  maxDataRows,
} from '../engine/rows/open-table.ts';
import { maxImages } from '../features/delivery/images/image-options.ts';
import { maxKeywords } from '../features/delivery/metadata/metadata-fields.ts';
import { maxOutputBytes } from '../features/delivery/outputs/fetch-with-retry.ts';
import { maxOutputs } from '../features/delivery/outputs/outputs.ts';
import { alwaysDecodedPixels, maxUpscaleFactor } from '../features/renders/requested-pixels.ts';
import { maxChosenLength } from '../features/variants/choose-variants.ts';
import { maxRules, maxTableGlobs, tableBytes } from '../features/variants/grid/colorway-axis.ts';
import {
  maxCells,
  maxCellValueLength,
  maxColorways,
  maxRows,
} from '../features/variants/grid/colorway-table.ts';
import { maxChunks, maxJsonBytes } from '../glb/container.ts';
import { maxJsonDepth, maxJsonMemory } from '../glb/gltf-json.ts';
import { maxNodeDepth } from '../glb/node-tree.ts';
import { maxExpressionLength, maxMacros } from '../language/expressions/expression-limits.ts';
import { maxOperandLength, maxSteps } from '../language/expressions/expression-work.ts';
import { expressionLimits } from '../language/expressions.ts';
import { maxGlobs, maxNamingLength, maxValueLength } from '../language/fields.ts';
import { maxGlobNameLength, maxGlobSteps } from '../language/glob-set.ts';
import { maxPathBytes, maxSegmentBytes } from '../language/naming/naming.ts';
import { maxPlaceholders } from '../language/naming/placeholders.ts';
import { maxGlobLength, maxPaths, maxStars } from '../language/read-glob.ts';
import { maxMatchedLength, maxRegexLength } from '../language/regex-safety.ts';
import {
  bytesPerDerivedPixel,
  maxConcurrentDecodes as decodersAtOnce,
  decodeTimeoutMs as decodingMs,
  defaultMemoryBytes,
  deriveTimeoutMs,
} from '../pictures/decoding/decode.ts';
import { maxImagePixels, maxImageSide } from '../pictures/image-spec.ts';
import { maxPacketBytes } from '../pictures/metadata/xmp-packet.ts';
import {
  maxBytes as besideAtMost,
  maxPackedProfile,
  maxPackedText,
  maxPieces,
} from '../pictures/metadata-budget.ts';
import {
  defaultDecodedBytes,
  defaultMaxPixels,
  maxBytesPerPixel,
} from '../pictures/picture-header.ts';
import { formatNumber } from '../plan/helpers/format-count.ts';
import { defaultInFlight, maxShards } from '../plan/shard/window.ts';
import { minWithdrawable } from '../plan/withdrawal.ts';
import { maxBodyBytes } from '../receiver/request-body.ts';
import { receiverCaps } from '../receiver/server.ts';
import { deduplicationWindow } from '../receiver/webhook-handler.ts';
import { maxObjects, maxParts, maxPixels, maxSeconds, maxTriangles } from '../sandbox/bounds.ts';
import { maxFileBytes } from '../settings/config-file.ts';
import { bodyBounds } from '../settings/fetch-server.ts';
import { defaultServerTimeouts } from '../settings/http-server.ts';
import { maxDepth, maxTokens } from '../settings/yaml-nesting.ts';
import { maxKeyChars } from '../store/discovery/asset-keys.ts';
import { maxPageMs, maxPageNames } from '../store/discovery/discover-run.ts';
import { maxFailedImages } from '../store/runs/pictures/failed-images.ts';
import { threadBounds } from '../tables/table-thread.ts';
import { maxUnpackedBytes, maxWorkbookParts } from '../tables/xlsx-thread.ts';
import { formatBytes, formatPage, formatTable, generatedNote, toCode } from './markdown.ts';
import { readers } from './readers.ts';

type Limit = readonly [input: string, bound: string, exceeded: string];

const amount = (count: number, unit: string) => `${formatNumber(count)} ${unit}`;
const characters = (count: number) => amount(count, 'characters');

const limit = (...cells: Limit): Limit => cells;

const refusedBy = (...names: string[]) =>
  `the file is rejected with a line number: ${names.map(toCode).join(', ')}`;
const failsBy = (name: string) => `the asset fails: ${toCode(name)}`;
const fileRefused = 'the file is rejected before the upload, with the reason';

const files: readonly Limit[] = [
  limit(
    'a pipeline file',
    `${formatBytes(maxFileLength)}, ${amount(maxTokens, 'YAML tokens')}`,
    refusedBy('RL105'),
  ),
  limit('text or a key in a pipeline file', characters(maxTextLength), refusedBy('RL105')),
  limit(
    'a text, or the whole file, after parameters are inserted',
    `${characters(maxTextLength)}, ${formatBytes(maxFileLength)}`,
    refusedBy('RL105'),
  ),
  limit('shared parts that a pipeline includes', amount(maxIncludes, 'files'), refusedBy('RL204')),
  limit('a pipeline file with its shared parts', formatBytes(maxFileLength), refusedBy('RL105')),
  limit(
    'values that a pipeline takes from shared parts',
    amount(maxValues, 'values'),
    refusedBy('RL105'),
  ),
  limit('the value of a parameter', characters(maxTextLength), refusedBy('RL311')),
  limit('nesting', amount(maxDepth, 'levels'), refusedBy('RL104')),
  limit(
    'aliases, and values after aliases are expanded',
    `${formatNumber(maxAliases)}, ${formatNumber(maxValues)}`,
    refusedBy('RL106'),
  ),
  limit(
    'nodes, schedules, entries of `except`',
    [maxNodes, maxSchedules, maxExceptions].map(formatNumber).join(', '),
    refusedBy('RL204'),
  ),
  limit('the compiled plan of a file', amount(maxPlanBytes, 'bytes'), refusedBy('RL105')),
  limit(
    'problems that are listed per severity',
    formatNumber(maxPerSeverity),
    'further problems are counted',
  ),
  limit(toCode('renderline.yaml'), formatBytes(maxFileBytes), 'the command fails with a message'),
];

const languages: readonly Limit[] = [
  limit(
    'a glob',
    `${characters(maxGlobLength)}, ${amount(maxStars, 'stars')}, ${amount(maxPaths, 'alternatives in braces')}`,
    refusedBy('RL511'),
  ),
  limit('globs in one list', formatNumber(maxGlobs), refusedBy('RL204')),
  limit(
    'a name or path that globs are matched against',
    characters(maxGlobNameLength),
    'no glob matches',
  ),
  limit(
    'steps of matching all names of a list',
    formatNumber(maxGlobSteps),
    'the run or command fails with a message',
  ),
  limit(
    'pairs of double braces in a text',
    formatNumber(maxPlaceholders),
    refusedBy('RL306', 'RL501', 'RL521'),
  ),
  limit(
    'a naming template, a value with expressions',
    `${formatNumber(maxNamingLength)}, ${characters(maxValueLength)}`,
    refusedBy('RL204'),
  ),
  limit(
    'an expression',
    `${characters(maxExpressionLength)}, ${amount(expressionLimits.maxAstNodes, 'parts')}, ${amount(expressionLimits.maxDepth, 'levels')}, ${amount(maxMacros, 'macros')}`,
    refusedBy('RL504'),
  ),
  limit(
    'a list, a mapping in an expression',
    `${formatNumber(expressionLimits.maxListElements)}, ${amount(expressionLimits.maxMapEntries, 'entries')}`,
    refusedBy('RL504'),
  ),
  limit('expressions in one file', formatNumber(maxExpressions), refusedBy('RL504')),
  limit(
    'the evaluation of an expression for one asset',
    `${amount(maxSteps, 'steps')}, ${characters(maxOperandLength)} in any text`,
    failsBy('EXPRESSION_FAILED'),
  ),
  limit(
    'a regular expression',
    `${characters(maxRegexLength)}, at most quadratic time in the length of the text`,
    refusedBy('RL512'),
  ),
  limit(
    'a text that regular expressions are matched against',
    characters(maxMatchedLength),
    'no expression matches',
  ),
];

const sources: readonly Limit[] = [
  limit(
    'the path of a file',
    `${characters(maxPathChars)}, ${formatBytes(maxNameBytes)} per segment`,
    failsBy('HOSTILE_PATH'),
  ),
  limit(
    'files that are listed before a run starts to process them',
    `${formatNumber(maxPageNames)}, or the files found in ${maxPageMs / 1_000} seconds`,
    'the run continues listing while it works',
  ),
  limit('the key of an asset', characters(maxKeyChars), 'the asset is rejected, with the reason'),
  limit(
    'the path of a delivered file',
    `${maxPathBytes} bytes, ${maxSegmentBytes} bytes per segment`,
    'the path is shortened and gets a hash of the full path',
  ),
  limit(
    'a table of colorways',
    `${formatBytes(tableBytes)}, ${amount(maxRows, 'rows')}, ${amount(maxCells, 'cells, empty ones included')}, ${amount(maxColorways, 'colorways')}, ${amount(maxTableGlobs, 'globs')}, ${characters(maxCellValueLength)} per value; ${amount(maxRules, 'materials for all models of one listing')}; CSV is parsed in a separate thread: ${formatBytes(threadBounds.memoryBytes)}, ${amount(threadBounds.timeoutMs / 1_000, 'seconds')}`,
    `the run stops: ${toCode('COLORWAY_TABLE')}`,
  ),
  limit(
    'a table under `data:`',
    `${formatBytes(maxDataBytes)}, ${amount(maxDataRows, 'rows')}, ${amount(maxDataCells, 'cells, empty ones included')}, ${amount(maxDataGlobs, 'globs')}; a workbook ${formatBytes(maxUnpackedBytes)} unpacked, ${amount(maxWorkbookParts, 'files')}; CSV and workbooks are read in a separate thread with the limits above`,
    `the run stops: ${toCode('DATA_TABLE')}`,
  ),
  limit(
    'the values in the row of an asset, in the columns that the pipeline reads',
    characters(maxRowChars),
    failsBy('ROW_INVALID'),
  ),
  limit(
    'the JSON of a model file',
    `${formatBytes(maxJsonBytes)}, ${formatBytes(maxJsonMemory)} in memory, ${amount(maxJsonDepth, 'levels')}`,
    fileRefused,
  ),
  limit('chunks of a GLB', formatNumber(maxChunks), fileRefused),
  limit(
    'models in the sandbox: triangles, parts of all nodes together, listed elements, node depth',
    `${formatNumber(maxTriangles)}, ${formatNumber(maxParts)}, ${formatNumber(maxObjects)}, ${formatNumber(maxNodeDepth)}`,
    'the model fails, with the reason',
  ),
  limit(
    'images that are uploaded to the sandbox, also inside models; SVG images are never rendered',
    `${formatNumber(maxPixels)} pixels, ${amount(maxSeconds, 'seconds')} of decoding; other content as for pictures below`,
    'the item fails, with the reason',
  ),
];

const platform: readonly Limit[] = [
  limit(
    'a response of the platform: with lists, without lists',
    `${formatBytes(maxListBytes)}, ${formatBytes(maxResourceBytes)}`,
    `the call fails: ${toCode('API_UNEXPECTED')}`,
  ),
  limit(
    'the content of a response',
    `${amount(responseBounds.values, 'values')}, ${amount(responseBounds.depth, 'levels')}, per list the requested number of items or ${amount(itemsOfAnswer, 'items')}`,
    `the call fails: ${toCode('API_UNEXPECTED')}`,
  ),
  limit(
    'a list of the platform',
    `${amount(maxListItems, 'items')}, ${amount(maxPages, 'pages')}`,
    'reading the list ends with an error',
  ),
  limit(
    'a message, a name in a response',
    `${maxPlainTextLength}, ${characters(maxObjectNameLength)}`,
    'the text is cut off',
  ),
  limit(
    'an id, a link or a type in a response',
    `${maxIdLength}, ${characters(maxDataLength)}`,
    'the value is unreadable',
  ),
  limit(
    'a file that is downloaded',
    `${formatBytes(maxOutputBytes)}, ${amount(maxRedirects, 'redirects')}`,
    'the asset fails',
  ),
  limit('outputs of a render job', formatNumber(maxOutputs), failsBy('TOO_MANY_OUTPUTS')),
  limit(
    'selected variants of a model',
    formatNumber(maxChosenLength),
    failsBy('TOO_MANY_VARIANTS'),
  ),
  limit('ids in a list of a selection', formatNumber(maxIds), refusedBy('RL204')),
];

const pictures: readonly Limit[] = [
  limit(
    'pixels of a picture',
    `\`verify.maxPixels\`: ${formatNumber(maxUpscaleFactor)} times the requested size, at least ${formatNumber(alwaysDecodedPixels)}, at most ${formatNumber(defaultMaxPixels)} or the requested size; ${formatNumber(defaultMaxPixels)} if no size was requested`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'memory to decode a picture, estimated from its header: depth, channels, interlacing, scans, strips',
    `${formatBytes(maxBytesPerPixel)} per allowed pixel: ${formatBytes(defaultDecodedBytes)} if no size was requested`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'metadata of a picture',
    `${formatBytes(besideAtMost)} in ${amount(maxPieces, 'pieces')}; compressed text ${formatBytes(maxPackedText)}, compressed profile ${formatBytes(maxPackedProfile)}`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'decoding of pictures',
    `${formatNumber(decodersAtOnce)} concurrently, each in its own process: ${amount(decodingMs / 1_000, 'seconds')}, ${formatBytes(defaultMemoryBytes)}; more only if pictures of more than ${formatNumber(defaultMaxPixels)} pixels were requested`,
    'the process is killed, and the output counts as damaged',
  ),
  limit(
    'images that an export derives from a picture',
    `${formatNumber(maxImages)} per picture; ${formatNumber(maxImageSide)} pixels per side, ${formatNumber(maxImagePixels)} in total`,
    refusedBy('RL204'),
  ),
  limit(
    'deriving an image from a picture',
    `in the decoding processes: ${amount(deriveTimeoutMs / 1_000, 'seconds')}, and ${formatBytes(bytesPerDerivedPixel)} more per pixel`,
    failsBy('IMAGE_FAILED'),
  ),
  limit(
    'metadata that an export writes into a picture',
    `${formatBytes(maxPacketBytes)}, ${amount(maxKeywords, 'keywords')}, ${characters(maxValueLength)} per text before it is filled in`,
    failsBy('METADATA_TOO_LARGE'),
  ),
  limit(
    'marked copies of images that failed a check',
    `${formatNumber(maxFailedImages)} per run`,
    'a later copy may replace an earlier copy',
  ),
];

const runs: readonly Limit[] = [
  limit(
    'assets in flight of a run',
    `\`limits.inFlight\`, default ${formatNumber(defaultInFlight)}`,
    'the other assets wait',
  ),
  limit(
    'assets that a run withdraws',
    `\`limits.withdrawn\`, default a tenth of the recorded assets and at least ${minWithdrawable}`,
    `none of them is withdrawn, and the run does everything else: ${toCode('TOO_MANY_WITHDRAWN')}`,
  ),
  limit(
    'open shards of a run, including waiting shards and shards that only run side steps',
    formatNumber(maxShards),
    'the other shards wait',
  ),
];

const neighbours: readonly Limit[] = [
  limit('a notification of the platform', formatBytes(maxBodyBytes), 'status 413'),
  limit(
    'a response of an object store that is not an object, such as a page of a listing',
    formatBytes(maxResponseBytes),
    `the run pauses: ${toCode('PLACE_UNREADABLE')}`,
  ),
  limit('nested folders in a store: path', characters(maxPathChars), 'skipped with a warning'),
  limit(
    'connections of the receiver, of one network (/24 of IPv4, /64 of IPv6)',
    `${formatNumber(receiverCaps.maxConnections)}, ${formatNumber(receiverCaps.maxOfNetwork)}`,
    'in the network with the most connections, the connection that has waited longest for a complete request is closed',
  ),
  limit(
    'a form of `renderline ui`, a request to `mcp --http`, a request to `codec`',
    [bodyBounds.form, bodyBounds.mcp, bodyBounds.codec].map(formatBytes).join(', '),
    'status 413; the rest is not read',
  ),
  limit(
    'time for the headers and for the body of a request to a server of Renderline',
    `${defaultServerTimeouts.headersMs / 1_000} seconds; ${defaultServerTimeouts.body.graceMs / 1_000} seconds and one second per ${formatBytes(defaultServerTimeouts.body.bytesPerSecond)} received; ${defaultServerTimeouts.requestMs / 1_000} seconds in total`,
    'status 408',
  ),
  limit(
    'remembered notifications',
    `${formatNumber(deduplicationWindow.max)}, for ${deduplicationWindow.freshForMs / 3_600_000} hours`,
    'notifications older than a forgotten notification get status 400',
  ),
];

export function formatLimitsPage(): string {
  return formatPage(
    generatedNote,
    '# Limits',
    'The limit of each input, and what happens above it. [Why](decisions/030-bounds.md).',
    ...formatSection('Pipeline files', files),
    ...formatSection('Globs, templates and expressions', languages),
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
