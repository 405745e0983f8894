// Failures caused by an invalid command line or by the files that it mentions.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

export const usageFailures = defineFailures('command', {
  USAGE: { title: 'The command line is invalid.', fix: 'See: renderline --help' },
  CONFIG: {
    title: 'A setting is invalid.',
    fix: 'Correct the setting that the message names.',
  },
  PLATFORM_NOT_SET: {
    title: 'The command needs the platform, but its address or key is not set.',
    fix: 'Set RENDERLINE_BASE_URL and RENDERLINE_API_KEY; `renderline dev` starts a local platform and prints both lines.',
  },
  LINKS_NOT_SET: {
    title: 'Links for decisions are not set up on this machine.',
    fix: 'Set `ui.origin` in renderline.yaml and RENDERLINE_LINK_KEY, the same as for `renderline ui` (docs/how-to/approving-as-a-team.md).',
  },
  NOT_CONFIRMED: {
    title: 'The command was not confirmed: the answer was no, or there was no terminal.',
    fix: 'Confirm the command, or add --yes.',
  },
  REJECTED_WITHOUT_REASON: {
    title: 'Assets are rejected without a reason.',
    fix: 'State what is wrong with their pictures: --reason TEXT',
  },
  OUTSIDE_FOLDERS: {
    title: 'An agent passed a path outside the folders of the MCP server to a tool.',
    fix: 'Use a path inside these folders, or start the server for that folder too: renderline mcp --folder DIR',
  },
  BAD_BODY: {
    title: 'The body of the API call is not JSON, or the operation does not accept a body.',
    fix: 'Pass JSON, @file.json, or - to read standard input.',
  },
  BAD_PAIR: {
    title: 'A parameter is not written as name=value.',
    fix: 'Write the parameter as NAME=VALUE, for example --param folder=./models.',
  },
  REPEATED_PAIR: { title: 'A name is used twice.', fix: 'Use each name only once.' },
  BAD_DURATION: {
    title: 'A value is not a duration.',
    fix: 'Use a duration such as 90s, 30m or 12h.',
  },
  BAD_NUMBER: {
    title: 'A value is not a whole number in the allowed range.',
    fix: 'Use a whole number in that range.',
  },
  BAD_HOST: {
    title: 'A value is not a valid host name or address.',
    fix: 'Use a host name of at most 200 characters on one line, or an IP address to listen on.',
  },
  BAD_VERSION_NAME: {
    title: 'A value is not a valid name of a deployment or build.',
    fix: 'Use letters, digits, ".", "_" and "-", at most 100 characters.',
  },
  BAD_HISTORY: {
    title: 'The file is not a workflow history.',
    fix: 'Create one: temporal workflow show --workflow-id ID --output json > FILE',
  },
  BAD_TIME: {
    title: 'A value is not a date or time.',
    fix: 'Use a date or a time such as 2026-11-01, 2026-11-01T02:00 or 2026-11-01T02:00Z.',
  },
  BAD_RANGE: {
    title: 'The backfill range ends before it starts, or lies in the future.',
    fix: 'Use two times in the past, the earlier one first.',
  },
  BACKFILL_TOO_LONG: {
    title: 'The schedule has more starts in this range than one backfill may start.',
    fix: 'Split the range into several backfills.',
  },
  WHERE: {
    title: 'The condition of --where is not valid for the fields of an asset.',
    fix: 'Correct the condition; the message lists the fields.',
  },
  GLOB: {
    title: 'A glob takes too long to match.',
    fix: 'Use fewer globs, or fewer `*` in each glob.',
  },
  API_INPUT: {
    title: 'The input does not match the API operation; nothing was sent.',
    fix: 'See its parameters: renderline api OPERATION --help',
  },
  UNKNOWN_OPERATION: {
    title: 'The API operation does not exist.',
    fix: 'List the operations: renderline api --list',
  },
  OPERATION_WITHOUT_PATH: {
    title: 'The path of the operation is unknown.',
    fix: 'Set its path as the message shows.',
  },
  NO_PAGES: {
    title: 'The operation has no pages: it returns everything at once.',
    fix: 'Remove --all.',
  },
  INVALID_PIPELINE: {
    title: 'A pipeline file is invalid.',
    fix: 'Correct the listed problems.',
  },
  INVALID_TESTS: {
    title: 'A test file is invalid; no test was run.',
    fix: 'Correct the listed problems.',
  },
  TEST_TIMEOUT: {
    title: 'A pipeline test timed out.',
    fix: 'Raise the limit: `timeout:` in the test, or --timeout.',
    exit: exitCode.runFailed,
  },
  NO_TESTS: {
    title: 'No tests were found to run.',
    fix: 'Add a test next to a pipeline, as `renderline init` does, or choose another file or test.',
    exit: exitCode.notFound,
  },
  NO_PIPELINES: {
    title: 'The folders contain no pipeline.',
    fix: 'Specify a file, or create one: renderline init DIR',
    exit: exitCode.notFound,
  },
  CODE_NOT_FOUND: {
    title: 'The code does not exist.',
    fix: 'All codes are in docs/errors.md. To explain an asset, add the pipeline file: renderline explain KEY FILE',
    exit: exitCode.notFound,
  },
  FILE_EXISTS: {
    title: 'Files that would be created already exist; nothing was written.',
    fix: 'Use another folder: renderline init DIR',
  },
  FOLDER_IN_USE: {
    title: 'The folder of the demo contains other files.',
    fix: 'Use a new or empty folder: renderline demo --out DIR',
  },
  SANDBOX_NOT_INSTALLED: {
    title: 'The sandbox is a separate package, which is not installed.',
    fix: 'Install it: npm install @renderline/sandbox\nIn a clone of the repository: npm ci',
  },
  DATA_IN_USE: {
    title: 'Another sandbox is using the folder.',
    fix: 'Stop the other sandbox, or use another folder: --data DIR',
  },
  IN_USE: {
    title: 'Another process has locked a required file.',
    fix: 'Stop the other process, or use another folder: renderline dev --data DIR',
    exit: exitCode.later,
  },
  NOT_LOOPBACK: {
    title: 'The address would make the MCP server reachable from other machines.',
    fix: 'Use 127.0.0.1, ::1 or localhost, and use a proxy with its own authentication in front of it.',
  },
  WRONG_PATH: {
    title: 'The receiver cannot receive notifications at this path.',
    fix: 'Use a path that begins with / and is not /wake-ups, /health or below /pipelines, which the receiver itself serves.',
  },
  WEBHOOK_TAKEN: {
    title: "The workspace's webhook already has another address.",
    fix: 'If the other address is no longer needed: renderline webhooks --register URL --replace',
  },
  NOT_AN_ID: {
    title: 'The value to find is not an id.',
    fix: 'Pass the id alone, as the platform, a log or `renderline show RUN --json` shows it.',
  },
});
