// Mistakes in a command line, and in the files that it names.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

export const usageFailures = defineFailures('command', {
  USAGE: { title: 'The command was called wrongly.', fix: 'See: renderline --help' },
  CONFIG: {
    title: 'A setting cannot be used.',
    fix: 'Correct the setting that the message names.',
  },
  PLATFORM_NOT_SET: {
    title: 'The command needs the platform, and no address or key of it is set.',
    fix: 'Set RENDERLINE_BASE_URL and RENDERLINE_API_KEY; `renderline dev` starts a local platform and prints these lines for it.',
  },
  NOT_CONFIRMED: {
    title: 'A question was answered with no, or nobody could be asked.',
    fix: 'Add --yes.',
  },
  OUTSIDE_FOLDERS: {
    title: 'A tool of an agent was given a path outside the folders of its server.',
    fix: 'Use a path inside them, or start the server for that folder too: renderline mcp --folder DIR',
  },
  BAD_BODY: {
    title: 'The body of an API call is no JSON, or the operation takes none.',
    fix: 'Give JSON, @file.json, or - to read standard input.',
  },
  BAD_PAIR: {
    title: 'A parameter is not written as name=value.',
    fix: 'For example: --param folder=./models',
  },
  REPEATED_PAIR: { title: 'A name is given twice.', fix: 'Give it once.' },
  BAD_DURATION: { title: 'A value is no duration.', fix: 'Write it as in 90s, 30m or 12h.' },
  BAD_NUMBER: { title: 'A value is no number of the wanted kind.', fix: 'Give a whole number.' },
  BAD_HOST: {
    title: 'A value cannot be the name of a host.',
    fix: 'Give the name in one line of at most 200 characters.',
  },
  BAD_VERSION_NAME: {
    title: 'A value cannot be the name of a deployment or of a build.',
    fix: 'Use letters, digits, ".", "_" and "-", at most 100 of them.',
  },
  BAD_HISTORY: {
    title: 'A file is no history of a workflow.',
    fix: 'Make one: temporal workflow show --workflow-id ID --output json > FILE',
  },
  BAD_TIME: {
    title: 'A value is not a date or a time.',
    fix: 'Write it as in 2026-11-01, 2026-11-01T02:00 or 2026-11-01T02:00Z.',
  },
  BAD_RANGE: {
    title: 'The time to fill in ends before it begins, or lies in the future.',
    fix: 'Give two times of the past in their order.',
  },
  BACKFILL_TOO_LONG: {
    title: 'The schedule has more starts in this time than are filled in at once.',
    fix: 'Fill it in several parts.',
  },
  WHERE: {
    title: 'The condition of --where is none over the fields of an asset.',
    fix: 'Correct it; the message names the fields.',
  },
  GLOB: {
    title: 'A glob takes too much work to match.',
    fix: 'Use fewer globs, or fewer stars.',
  },
  API_INPUT: {
    title: 'The input does not fit the API operation; nothing was sent.',
    fix: 'See what it takes: renderline api OPERATION --help',
  },
  UNKNOWN_OPERATION: {
    title: 'There is no API operation of this name.',
    fix: 'See what there is: renderline api --list',
  },
  OPERATION_WITHOUT_PATH: {
    title: 'Nothing says where the operation is.',
    fix: 'Name its path as the message shows.',
  },
  NO_PAGES: {
    title: 'The operation answers with everything at once.',
    fix: 'Leave --all out.',
  },
  INVALID_PIPELINE: {
    title: 'A pipeline file is not valid.',
    fix: 'Correct the problems that are listed.',
  },
  INVALID_TESTS: {
    title: 'A test file is not valid; no test was played.',
    fix: 'Correct the problems that are listed.',
  },
  NO_TESTS: {
    title: 'There is no test to play.',
    fix: 'Write one beside a pipeline, as `renderline init` does, or name another file or test.',
  },
  NO_PIPELINES: {
    title: 'The folders that were named hold no pipeline.',
    fix: 'Name a file, or write one: renderline init DIR',
    exit: exitCode.notFound,
  },
  CODE_NOT_FOUND: {
    title: 'There is no such code.',
    fix: 'All codes: docs/errors.md. Of an asset, name the pipeline file too: renderline explain KEY FILE',
    exit: exitCode.notFound,
  },
  FILE_EXISTS: {
    title: 'Files that would be written are there already; nothing was written.',
    fix: 'Name another folder: renderline init DIR',
  },
  FOLDER_IN_USE: {
    title: 'The folder of the demo holds other files.',
    fix: 'Name a folder that is new or empty: renderline demo --out DIR',
  },
  SANDBOX_NOT_INSTALLED: {
    title: 'The sandbox is a package of its own, which is not installed here.',
    fix: 'Install it beside the program: npm install @renderline/sandbox\nIn a clone of the repository: npm ci',
  },
  DATA_IN_USE: {
    title: 'Another sandbox uses the folder.',
    fix: 'End that one or give another --data.',
  },
  IN_USE: {
    title: 'Another process holds a file that is needed.',
    fix: 'End it, or use another folder: renderline dev --data DIR',
    exit: exitCode.later,
  },
  NOT_LOOPBACK: {
    title: 'The tool server would be open to other machines.',
    fix: 'Use 127.0.0.1, ::1 or localhost, and put a proxy with its own authentication before it.',
  },
  WRONG_PATH: {
    title: 'Notifications cannot come at this path.',
    fix: 'It begins with / and is neither /hints nor /health, which the receiver itself answers.',
  },
  WEBHOOK_TAKEN: {
    title: 'The one webhook of the workspace is set to another address.',
    fix: 'If nobody needs it there any more: renderline webhooks --register URL --replace',
  },
  NOT_AN_ID: {
    title: 'What is to be found is no id.',
    fix: 'Give the id alone, as the platform, a log or `renderline show RUN --json` has it.',
  },
});
