// Generates the page of all input limits. The numbers are imported from the code that enforces them.
import {
  answerBounds,
  itemsAtMost as itemsOfAnswer,
  listBytes,
  thingBytes,
} from '../api/answer-limits.ts';
import { dataAtMost, idAtMost, nameAtMost } from '../api/answer-values.ts';
import { maxRedirects } from '../api/download.ts';
import { itemsAtMost, pagesAtMost } from '../api/list-bounds.ts';
import { wordsAtMost } from '../api/plain-text.ts';
import { outputBytesAtMost } from '../capabilities/delivery/fetch-file.ts';
import { imagesAtMost } from '../capabilities/delivery/images/image-options.ts';
import { outputsAtMost } from '../capabilities/delivery/outputs.ts';
import { anyoneMay, margin } from '../capabilities/renders/pixels-asked.ts';
import { chosenAtMost } from '../capabilities/variants/choose-variants.ts';
import { csvBounds } from '../capabilities/variants/grid/csv-thread.ts';
import { mostTableGlobs, rulesAtMost, tableBytes } from '../capabilities/variants/grid/grid.ts';
import {
  cellsAtMost,
  colorwaysAtMost,
  rowsAtMost,
  valueAtMost,
} from '../capabilities/variants/grid/table.ts';
import { mostExpressions } from '../compile/checks/check-marks.ts';
import { largestPlan } from '../compile/compile.ts';
import { mostNodes, mostSchedules } from '../compile/pipeline.ts';
import { largestPipeline, longestText, mostAliases, mostValues } from '../compile/yaml/document.ts';
import { mostOfASeverity } from '../compile/yaml/findings.ts';
import { answerBytes } from '../connectors/bucket/bounded-answer.ts';
import { maxNameBytes, maxPathChars } from '../connectors/safe-path.ts';
import { maxChunks, maxJsonBytes } from '../glb/container.ts';
import { maxJsonDepth, maxJsonMemory } from '../glb/gltf-json.ts';
import { maxNodeDepth } from '../glb/node-tree.ts';
import { longestExpression, mostMacros } from '../language/expression-limits.ts';
import { longestOperand, mostSteps } from '../language/expression-work.ts';
import { expressionLimits } from '../language/expressions.ts';
import { longestNaming, longestValue, mostGlobs } from '../language/fields.ts';
import { longestName, mostGlobSteps } from '../language/glob-set.ts';
import { longestPathBytes, longestSegmentBytes } from '../language/naming.ts';
import { mostPlaceholders } from '../language/placeholders.ts';
import { longestGlob, mostStars, mostWays } from '../language/read-glob.ts';
import { longestMatched, longestRegex } from '../language/regex-safety.ts';
import { idsAtMost } from '../machinery/discovery/selection-fields.ts';
import {
  bytesAtMost as besideAtMost,
  packedProfileAtMost,
  packedTextAtMost,
  piecesAtMost,
} from '../pictures/beside.ts';
import {
  bytesOfDerived,
  atOnce as decodersAtOnce,
  timeoutMs as decodingMs,
  deriveTimeoutMs,
  memoryUnasked,
} from '../pictures/decoding/decode.ts';
import { imagePixelsAtMost, imageSideAtMost } from '../pictures/image-spec.ts';
import { bytesOfPixelAtMost, bytesUnasked, mostPixelsUnasked } from '../pictures/picture-head.ts';
import { inFlightUnlessSaid, shardsAtMost } from '../plan/window.ts';
import { fewAssets } from '../plan/withdrawal.ts';
import { rememberedSeen } from '../receiver/intake.ts';
import { largestBody } from '../receiver/request-body.ts';
import { receiverCaps } from '../receiver/server.ts';
import {
  maxParts,
  maxThings,
  maxTriangles,
  pixelsAtMost,
  secondsAtMost,
} from '../sandbox/bounds.ts';
import { maxFileBytes } from '../settings/config-file.ts';
import { bodyBounds } from '../settings/fetch-server.ts';
import { defaultPatience } from '../settings/http-server.ts';
import { deepest, mostTokens } from '../settings/yaml-nesting.ts';
import { maxKeyChars } from '../store/discovery/asset-keys.ts';
import { stretchMs, stretchNames } from '../store/discovery/discover-run.ts';
import { code, generatedNote, page, table } from './markdown.ts';
import { bytes, count } from './quantities.ts';
import { readers } from './readers.ts';

interface Limit {
  input: string;
  bound: string;
  above: string;
}

const counted = (many: number, what: string) => `${count(many)} ${what}`;
const characters = (many: number) => counted(many, 'characters');

const limit = (input: string, bound: string, above: string): Limit => ({ input, bound, above });

const refusedBy = (...names: string[]) =>
  `the file is rejected with a line number: ${names.map(code).join(', ')}`;
const failsBy = (name: string) => `the asset fails: ${code(name)}`;
const fileRefused = 'the file is rejected before the upload, with the reason';

const files: readonly Limit[] = [
  limit(
    'a pipeline file',
    `${bytes(largestPipeline)}, ${counted(mostTokens, 'YAML tokens')}`,
    refusedBy('RL105'),
  ),
  limit('a text or a key in a pipeline file', characters(longestText), refusedBy('RL105')),
  limit(
    'a text, or the whole file, after parameters are inserted',
    `${characters(longestText)}, ${bytes(largestPipeline)}`,
    refusedBy('RL105'),
  ),
  limit('a value given for a parameter', characters(longestText), refusedBy('RL311')),
  limit('nesting', counted(deepest, 'levels'), refusedBy('RL104')),
  limit(
    'aliases, and values after aliases are expanded',
    `${count(mostAliases)}, ${count(mostValues)}`,
    refusedBy('RL106'),
  ),
  limit('nodes, schedules', `${count(mostNodes)}, ${count(mostSchedules)}`, refusedBy('RL204')),
  limit('the compiled plan of a file', characters(largestPlan), refusedBy('RL105')),
  limit(
    'problems that are listed per severity',
    count(mostOfASeverity),
    'further problems are counted',
  ),
  limit(code('renderline.yaml'), bytes(maxFileBytes), 'the command fails with a message'),
];

const languages: readonly Limit[] = [
  limit(
    'a glob',
    `${characters(longestGlob)}, ${counted(mostStars, 'stars')}, ${counted(mostWays, 'alternatives in braces')}`,
    refusedBy('RL511'),
  ),
  limit('globs in one list', count(mostGlobs), refusedBy('RL204')),
  limit('a name or path that globs are matched against', characters(longestName), 'matches none'),
  limit(
    'steps of matching all names of a list',
    count(mostGlobSteps),
    'the run or command fails with a message',
  ),
  limit(
    'pairs of double braces in a text',
    count(mostPlaceholders),
    refusedBy('RL306', 'RL501', 'RL521'),
  ),
  limit(
    'a naming template, a value with expressions',
    `${count(longestNaming)}, ${characters(longestValue)}`,
    refusedBy('RL204'),
  ),
  limit(
    'an expression',
    `${characters(longestExpression)}, ${counted(expressionLimits.maxAstNodes, 'parts')}, ${counted(expressionLimits.maxDepth, 'levels')}, ${counted(mostMacros, 'macros')}`,
    refusedBy('RL504'),
  ),
  limit(
    'a list, a mapping in an expression',
    `${count(expressionLimits.maxListElements)}, ${counted(expressionLimits.maxMapEntries, 'entries')}`,
    refusedBy('RL504'),
  ),
  limit('expressions in one file', count(mostExpressions), refusedBy('RL504')),
  limit(
    'the evaluation of an expression for one asset',
    `${counted(mostSteps, 'steps')}, ${characters(longestOperand)} in any text`,
    failsBy('EXPRESSION_FAILED'),
  ),
  limit(
    'a regular expression',
    `${characters(longestRegex)}, at most quadratic time in the length of the text`,
    refusedBy('RL512'),
  ),
  limit(
    'a text that regular expressions are matched against',
    characters(longestMatched),
    'matches none',
  ),
];

const sources: readonly Limit[] = [
  limit(
    'the path of a file',
    `${characters(maxPathChars)}, ${bytes(maxNameBytes)} per segment`,
    failsBy('HOSTILE_PATH'),
  ),
  limit(
    'files that are listed before a run starts to process them',
    `${count(stretchNames)}, or the files found in ${stretchMs / 1_000} seconds`,
    'the run continues listing while it works',
  ),
  limit('the key of an asset', characters(maxKeyChars), 'the asset is rejected, with the reason'),
  limit(
    'the path of a delivered file',
    `${longestPathBytes} bytes, ${longestSegmentBytes} bytes per segment`,
    'the path is shortened and gets a hash of the full path',
  ),
  limit(
    'a table of colorways',
    `${bytes(tableBytes)}, ${counted(rowsAtMost, 'rows')}, ${counted(cellsAtMost, 'cells, empty ones included')}, ${counted(colorwaysAtMost, 'colorways')}, ${counted(mostTableGlobs, 'globs')}, ${characters(valueAtMost)} per value; ${counted(rulesAtMost, 'materials for all models of one listing')}; CSV is parsed in a separate thread: ${bytes(csvBounds.memoryBytes)}, ${counted(csvBounds.timeoutMs / 1_000, 'seconds')}`,
    `the run stops: ${code('COLORWAY_TABLE')}`,
  ),
  limit(
    'the JSON of a model file',
    `${bytes(maxJsonBytes)}, ${bytes(maxJsonMemory)} in memory, ${counted(maxJsonDepth, 'levels')}`,
    fileRefused,
  ),
  limit('chunks of a GLB', count(maxChunks), fileRefused),
  limit(
    'models in the sandbox: triangles, parts of all nodes together, listed elements, node depth',
    `${count(maxTriangles)}, ${count(maxParts)}, ${count(maxThings)}, ${count(maxNodeDepth)}`,
    'the model fails, with the reason',
  ),
  limit(
    'images that are uploaded to the sandbox, also inside models; SVG images are never rendered',
    `${count(pixelsAtMost)} pixels, ${counted(secondsAtMost, 'seconds')} of decoding; other content as for pictures below`,
    'the item fails, with the reason',
  ),
];

const platform: readonly Limit[] = [
  limit(
    'a response of the platform: with lists, without lists',
    `${bytes(listBytes)}, ${bytes(thingBytes)}`,
    `the call fails: ${code('API_UNEXPECTED')}`,
  ),
  limit(
    'the content of a response',
    `${counted(answerBounds.values, 'values')}, ${counted(answerBounds.depth, 'levels')}, per list the requested number of items or ${counted(itemsOfAnswer, 'items')}`,
    `the call fails: ${code('API_UNEXPECTED')}`,
  ),
  limit(
    'a list of the platform',
    `${counted(itemsAtMost, 'items')}, ${counted(pagesAtMost, 'pages')}`,
    'reading it ends with an error',
  ),
  limit('a message, a name in a response', `${wordsAtMost}, ${characters(nameAtMost)}`, 'cut off'),
  limit(
    'an id, a link or a type in a response',
    `${idAtMost}, ${characters(dataAtMost)}`,
    'the value is unreadable',
  ),
  limit(
    'a file that is downloaded',
    `${bytes(outputBytesAtMost)}, ${counted(maxRedirects, 'redirects')}`,
    'the asset fails',
  ),
  limit('outputs of a render job', count(outputsAtMost), failsBy('TOO_MANY_OUTPUTS')),
  limit('selected variants of a model', count(chosenAtMost), failsBy('TOO_MANY_VARIANTS')),
  limit('ids in a list of a selection', count(idsAtMost), refusedBy('RL204')),
];

const pictures: readonly Limit[] = [
  limit(
    'pixels of a picture',
    `\`verify.maxPixels\`: ${count(margin)} times the requested size, at least ${count(anyoneMay)}, at most ${count(mostPixelsUnasked)} or the requested size; ${count(mostPixelsUnasked)} if no size was requested`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'memory to decode a picture, estimated from its header: depth, channels, interlacing, scans, strips',
    `${bytes(bytesOfPixelAtMost)} per allowed pixel: ${bytes(bytesUnasked)} if no size was requested`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'metadata of a picture',
    `${bytes(besideAtMost)} in ${counted(piecesAtMost, 'pieces')}; compressed text ${bytes(packedTextAtMost)}, compressed profile ${bytes(packedProfileAtMost)}`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'decoding of pictures',
    `${count(decodersAtOnce)} concurrently, each in its own process: ${counted(decodingMs / 1_000, 'seconds')}, ${bytes(memoryUnasked)}; more only if pictures of more than ${count(mostPixelsUnasked)} pixels were requested`,
    'the process is killed, and the output counts as damaged',
  ),
  limit(
    'images that an export derives from a picture',
    `${count(imagesAtMost)} per picture; ${count(imageSideAtMost)} pixels per side, ${count(imagePixelsAtMost)} in total`,
    refusedBy('RL204'),
  ),
  limit(
    'deriving an image from a picture',
    `in the decoding processes: ${counted(deriveTimeoutMs / 1_000, 'seconds')}, and ${bytes(bytesOfDerived)} more per pixel`,
    failsBy('IMAGE_FAILED'),
  ),
];

const runs: readonly Limit[] = [
  limit(
    'assets in flight of a run',
    `\`limits.inFlight\`, default ${count(inFlightUnlessSaid)}`,
    'the others wait',
  ),
  limit(
    'assets that a run withdraws',
    `\`limits.withdrawn\`, default a tenth of the recorded assets and at least ${fewAssets}`,
    `none of them is withdrawn, and the run does everything else: ${code('TOO_MANY_WITHDRAWN')}`,
  ),
  limit(
    'open shards of a run, including waiting shards and shards that only run side steps',
    count(shardsAtMost),
    'the others wait',
  ),
];

const neighbours: readonly Limit[] = [
  limit('a notification of the platform', bytes(largestBody), 'status 413'),
  limit(
    'a response of an object store that is not an object, such as a page of a listing',
    bytes(answerBytes),
    `the run pauses: ${code('PLACE_UNREADABLE')}`,
  ),
  limit(
    'the path of nested folders in a store',
    characters(maxPathChars),
    'skipped with a warning',
  ),
  limit(
    'connections of the receiver, of one network (/24 of IPv4, /64 of IPv6)',
    `${count(receiverCaps.max)}, ${count(receiverCaps.maxOfNetwork)}`,
    'in the network with the most connections, the one is closed that has gone longest without a complete request',
  ),
  limit(
    'a form of `renderline ui`, a request to `mcp --http`, a request to `codec`',
    [bodyBounds.form, bodyBounds.mcp, bodyBounds.codec].map(bytes).join(', '),
    'status 413; the rest is not read',
  ),
  limit(
    'time for the headers and for the body of a request to our servers',
    `${defaultPatience.headersMs / 1_000} seconds; ${defaultPatience.body.graceMs / 1_000} seconds and one second per ${bytes(defaultPatience.body.bytesPerSecond)} received; ${defaultPatience.requestMs / 1_000} seconds in total`,
    'status 408',
  ),
  limit(
    'notifications that are remembered',
    `${count(rememberedSeen.most)}, for ${rememberedSeen.freshForMs / 3_600_000} hours`,
    'notifications older than a forgotten one get status 400',
  ),
];

export function limitsPage(): string {
  return page(
    generatedNote,
    '# Limits',
    'The limit of each input, and what happens above it. [Why](decisions/030-bounds.md).',
    ...section('Pipeline files', files),
    ...section('Globs, templates and expressions', languages),
    ...section('Files and tables', sources),
    ...section('The platform', platform),
    ...section('Pictures', pictures),
    ...section('Runs', runs),
    ...section('Servers and stores', neighbours),
    '## Where the limits are checked',
    'Parsed input needs many times the memory of its text. So bytes, values and levels are counted before parsing:',
    table(
      ['input', 'checked before parsing', 'in', 'tests'],
      readers.map(({ reads, counted: before, files: sources, tests }) => [
        reads,
        before,
        sources.map(code).join(', '),
        tests.map(code).join(', '),
      ]),
    ),
  );
}

function section(title: string, limits: readonly Limit[]): string[] {
  const rows = limits.map(({ input, bound, above }) => [input, bound, above]);
  return [`## ${title}`, table(['input', 'limit', 'above the limit'], rows)];
}
