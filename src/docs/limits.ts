// Every limit of an input, and what happens above it. The numbers are imported from the code that
// enforces them.
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

const refusedBy = (...names: string[]) => `refused at its place: ${names.map(code).join(', ')}`;
const failsBy = (name: string) => `the asset fails: ${code(name)}`;
const fileRefused = 'the file is refused before upload, with the reason';

const files: readonly Limit[] = [
  limit(
    'a pipeline file',
    `${bytes(largestPipeline)}, ${counted(mostTokens, 'YAML tokens')}`,
    refusedBy('RL105'),
  ),
  limit('a text or key in it', characters(longestText), refusedBy('RL105')),
  limit(
    'what parameters make of a text, or put into the file',
    `${characters(longestText)}, ${bytes(largestPipeline)}`,
    refusedBy('RL105'),
  ),
  limit('a value given for a parameter', characters(longestText), refusedBy('RL311')),
  limit('nesting', counted(deepest, 'levels'), refusedBy('RL104')),
  limit(
    'aliases, and values that they multiply a file to',
    `${count(mostAliases)}, ${count(mostValues)}`,
    refusedBy('RL106'),
  ),
  limit('nodes, schedules', `${count(mostNodes)}, ${count(mostSchedules)}`, refusedBy('RL204')),
  limit('the plan of a file', characters(largestPlan), refusedBy('RL105')),
  limit(
    'problems that are told, of each severity',
    count(mostOfASeverity),
    'the others are counted',
  ),
  limit(code('renderline.yaml'), bytes(maxFileBytes), 'the command ends and says so'),
];

const languages: readonly Limit[] = [
  limit(
    'a glob',
    `${characters(longestGlob)}, ${counted(mostStars, 'stars')}, ${counted(mostWays, 'alternatives in braces')}`,
    refusedBy('RL511'),
  ),
  limit('globs of one list', count(mostGlobs), refusedBy('RL204')),
  limit('a name or path that globs are matched against', characters(longestName), 'fits none'),
  limit(
    'steps of matching all names of a list',
    count(mostGlobSteps),
    'the run or command ends and says so',
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
    'a list, a mapping written in an expression',
    `${count(expressionLimits.maxListElements)}, ${counted(expressionLimits.maxMapEntries, 'entries')}`,
    refusedBy('RL504'),
  ),
  limit('expressions of one file', count(mostExpressions), refusedBy('RL504')),
  limit(
    'an evaluation, for one asset',
    `${counted(mostSteps, 'steps')}, ${characters(longestOperand)} in any text`,
    failsBy('EXPRESSION_FAILED'),
  ),
  limit(
    'a regular expression',
    `${characters(longestRegex)}, at most the square of the length of a text`,
    refusedBy('RL512'),
  ),
  limit(
    'a text that regular expressions are matched against',
    characters(longestMatched),
    'fits none',
  ),
];

const sources: readonly Limit[] = [
  limit(
    'the path of a file',
    `${characters(maxPathChars)}, ${bytes(maxNameBytes)} a part`,
    failsBy('HOSTILE_PATH'),
  ),
  limit(
    'files that are listed before a run begins with them',
    `${count(stretchNames)}, or what a listing of ${stretchMs / 1_000} seconds finds`,
    'the run lists on while it works',
  ),
  limit('the key of an asset', characters(maxKeyChars), 'the asset is refused, with the reason'),
  limit(
    'the path of a delivered file',
    `${longestPathBytes} bytes, ${longestSegmentBytes} bytes a part`,
    'shortened, with a hash of the whole',
  ),
  limit(
    'a table of colorways',
    `${bytes(tableBytes)}, ${counted(rowsAtMost, 'rows')}, ${counted(cellsAtMost, 'cells, empty ones included')}, ${counted(colorwaysAtMost, 'colorways')}, ${counted(mostTableGlobs, 'globs')}, ${characters(valueAtMost)} a value; ${counted(rulesAtMost, 'materials on all models that are listed at once')}; a thread of its own for CSV: ${bytes(csvBounds.memoryBytes)}, ${counted(csvBounds.timeoutMs / 1_000, 'seconds')}`,
    `the run stops: ${code('COLORWAY_TABLE')}`,
  ),
  limit(
    'the JSON of a model file',
    `${bytes(maxJsonBytes)}, ${bytes(maxJsonMemory)} in memory, ${counted(maxJsonDepth, 'levels')}`,
    fileRefused,
  ),
  limit('chunks of a GLB', count(maxChunks), fileRefused),
  limit(
    'what the sandbox draws of a model: triangles and parts of all nodes together, what it lists, depth of nodes',
    `${count(maxTriangles)}, ${count(maxParts)}, ${count(maxThings)}, ${count(maxNodeDepth)}`,
    'the model fails, with the reason',
  ),
  limit(
    'images that are uploaded to the sandbox, also in models; drawings (SVG) are never drawn',
    `${count(pixelsAtMost)} pixels, ${counted(secondsAtMost, 'seconds')} of decoding; beside the pixels as of pictures below`,
    'the item fails, with the reason',
  ),
];

const platform: readonly Limit[] = [
  limit(
    'an answer of the platform: with lists, without',
    `${bytes(listBytes)}, ${bytes(thingBytes)}`,
    `the call fails: ${code('API_UNEXPECTED')}`,
  ),
  limit(
    'what is in an answer',
    `${counted(answerBounds.values, 'values')}, ${counted(answerBounds.depth, 'levels')}, of a list what was asked for or ${counted(itemsOfAnswer, 'items')}`,
    `the call fails: ${code('API_UNEXPECTED')}`,
  ),
  limit(
    'a list of the platform',
    `${counted(itemsAtMost, 'items')}, ${counted(pagesAtMost, 'pages')}`,
    'reading it ends with an error',
  ),
  limit(
    'a text for people, a name in an answer',
    `${wordsAtMost}, ${characters(nameAtMost)}`,
    'cut off',
  ),
  limit(
    'an id, a link or type in an answer',
    `${idAtMost}, ${characters(dataAtMost)}`,
    'it cannot be read',
  ),
  limit(
    'a file that is fetched',
    `${bytes(outputBytesAtMost)}, ${counted(maxRedirects, 'redirects')}`,
    'the asset fails',
  ),
  limit('outputs of a render job', count(outputsAtMost), failsBy('TOO_MANY_OUTPUTS')),
  limit('variants that are chosen of a model', count(chosenAtMost), failsBy('TOO_MANY_VARIANTS')),
  limit('ids in a list of a selection', count(idsAtMost), refusedBy('RL204')),
];

const pictures: readonly Limit[] = [
  limit(
    'pixels of a picture',
    `\`verify.maxPixels\`: ${count(margin)} times what was asked for, at least ${count(anyoneMay)}, at most ${count(mostPixelsUnasked)} or what was asked for; ${count(mostPixelsUnasked)} where nobody asked`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'what decoding a picture takes, by its head: depth, channels, interlacing, scans, strips',
    `${bytes(bytesOfPixelAtMost)} a pixel that it may have: ${bytes(bytesUnasked)} where nobody asked`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'what a picture has beside its pixels',
    `${bytes(besideAtMost)} in ${counted(piecesAtMost, 'pieces')}; packed text ${bytes(packedTextAtMost)}, packed profile ${bytes(packedProfileAtMost)}`,
    failsBy('OUTPUT_TOO_LARGE'),
  ),
  limit(
    'decoding of pictures',
    `${count(decodersAtOnce)} at once, each in a process of its own: ${counted(decodingMs / 1_000, 'seconds')}, ${bytes(memoryUnasked)}; more only where pictures of more than ${count(mostPixelsUnasked)} pixels were asked for`,
    'the process is ended, and the output counts as damaged',
  ),
  limit(
    'images that an export makes of a picture',
    `${count(imagesAtMost)} of each; ${count(imageSideAtMost)} pixels a side, ${count(imagePixelsAtMost)} in all`,
    refusedBy('RL204'),
  ),
  limit(
    'making an image of a picture',
    `in the processes that decode: ${counted(deriveTimeoutMs / 1_000, 'seconds')}, and ${bytes(bytesOfDerived)} more for each pixel`,
    failsBy('IMAGE_FAILED'),
  ),
];

const runs: readonly Limit[] = [
  limit(
    'assets in flight of a run',
    `\`limits.inFlight\`, ${count(inFlightUnlessSaid)} unless told otherwise`,
    'the others wait for their turn',
  ),
  limit(
    'products that a run withdraws',
    `\`limits.withdrawn\`, a tenth of the assets on record and at least ${fewAssets} unless told otherwise`,
    `none of them is withdrawn, and the run does the rest: ${code('TOO_MANY_WITHDRAWN')}`,
  ),
  limit(
    'shards in flight of a run, those that wait and those that only tell others among them',
    count(shardsAtMost),
    'the others wait for their turn',
  ),
];

const neighbours: readonly Limit[] = [
  limit('a notification that is received', bytes(largestBody), 'answered 413'),
  limit(
    'an answer of a store beside objects, such as a page of a listing',
    bytes(answerBytes),
    `the run pauses: ${code('PLACE_UNREADABLE')}`,
  ),
  limit('folders in folders of a store', characters(maxPathChars), 'skipped, and named'),
  limit(
    'connections of the receiver, of one network (/24 of IPv4, /64 of IPv6)',
    `${count(receiverCaps.max)}, ${count(receiverCaps.maxOfNetwork)}`,
    'of the network with the most, the one is closed that has been without a whole request for longest',
  ),
  limit(
    'a form of `renderline ui`, a request to `mcp --http`, one to `codec`',
    [bodyBounds.form, bodyBounds.mcp, bodyBounds.codec].map(bytes).join(', '),
    'answered 413; the rest is not read',
  ),
  limit(
    'the headers of a request to a server of ours, its body',
    `${defaultPatience.headersMs / 1_000} seconds, ${defaultPatience.body.graceMs / 1_000} seconds and a second for each ${bytes(defaultPatience.body.bytesPerSecond)} that have come, ${defaultPatience.requestMs / 1_000} seconds together`,
    'answered 408',
  ),
  limit(
    'notifications that are remembered',
    `${count(rememberedSeen.most)}, for ${rememberedSeen.freshForMs / 3_600_000} hours`,
    'those that are older than one that was forgotten are answered 400',
  ),
];

export function limitsPage(): string {
  return page(
    generatedNote,
    '# Limits',
    'How much of each input is taken, and what happens above that; [why](decisions/030-bounds.md).',
    ...section('Pipeline files', files),
    ...section('Globs, templates and expressions', languages),
    ...section('Files and tables', sources),
    ...section('The platform', platform),
    ...section('Pictures', pictures),
    ...section('Runs', runs),
    ...section('Neighbours', neighbours),
    '## Where it is counted',
    'Parsed input takes many times the memory of its text. So bytes, values and levels are counted before a parser works on it:',
    table(
      ['what is read', 'counted before', 'in', 'held by'],
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
  return [`## ${title}`, table(['input', 'at most', 'above'], rows)];
}
