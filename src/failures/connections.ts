// Failures of commands: a server cannot be reached, a file cannot be opened, or the user interrupted the command.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

const temporalFix = [
  'Start everything on this machine:      renderline dev',
  'Or point at a running Temporal server: export TEMPORAL_ADDRESS=host:7233',
].join('\n');
/** `doctor` leaves this part out of its own fixes. */
export const doctorHint = '; `renderline doctor` checks every part of the connection';
const platformFix = `Check RENDERLINE_BASE_URL${doctorHint}.`;

export const connectionFailures = defineFailures('command', {
  TEMPORAL_UNREACHABLE: {
    title: 'No Temporal server responds.',
    fix: temporalFix,
    exit: exitCode.unreachable,
  },
  TEMPORAL_NOT_FOUND: {
    title: 'The Temporal dev server executable was not found.',
    fix: 'Apply one of the fixes in the message, which lists every source that was tried.',
    exit: exitCode.unreachable,
  },
  TEMPORAL_NOT_STARTED: {
    title: 'The local Temporal server did not start.',
    fix: temporalFix,
    exit: exitCode.unreachable,
  },
  TEMPORAL_ENDED: {
    title: 'The local Temporal server stopped while it was in use.',
    fix: 'Run the command again. If the server stops again, its last lines of output in the message show why.',
    exit: exitCode.unreachable,
  },
  TEST_SERVER_NOT_STARTED: {
    title: 'The Temporal server of the tests did not start.',
    fix: 'Run the tests again when the machine is less busy.',
    exit: exitCode.later,
  },
  TEMPORAL_ERROR: {
    title: 'Temporal responded with an error.',
    fix: 'Check the log of the Temporal server. If the server is too old to support the request, upgrade it.',
    exit: exitCode.later,
  },
  TEMPORAL_DENIED: {
    title: 'Temporal rejected the credentials.',
    fix: 'Check TEMPORAL_API_KEY, TEMPORAL_NAMESPACE and the TLS certificates.',
    exit: exitCode.auth,
  },
  CODEC_KEY_MISSING: {
    title: 'The payloads in Temporal are encrypted with a key that is not set here.',
    fix: 'Add the key to RENDERLINE_CODEC_KEYS or RENDERLINE_CODEC_KEYS_FILE.',
    exit: exitCode.auth,
  },
  CODEC_KEY_WRONG: {
    title:
      'A payload in Temporal cannot be decrypted: the key with this id differs from the one that encrypted it, or the payload was changed.',
    fix: 'Compare the keys in RENDERLINE_CODEC_KEYS or RENDERLINE_CODEC_KEYS_FILE with the keys of the workers.',
    exit: exitCode.auth,
  },
  NOT_RECORDED: {
    title: 'Temporal did not accept the audit record of the change, so nothing was changed.',
    fix: 'Retry. If your Temporal server restricts signals, allow signals to the workflow audit/TASK_QUEUE.',
    exit: exitCode.later,
  },
  TEMPORAL_BUSY: {
    title: 'The Temporal server is overloaded and limits requests.',
    fix: 'Retry in a moment.',
    exit: exitCode.later,
  },
  NAMESPACE_NOT_FOUND: {
    title: 'The namespace does not exist on the Temporal server.',
    fix: 'Set TEMPORAL_NAMESPACE to an existing namespace, or create it on the server.',
    exit: exitCode.notFound,
  },
  API_UNREACHABLE: {
    title: 'The platform does not respond.',
    fix: platformFix,
    exit: exitCode.unreachable,
  },
  NOT_THE_API: {
    title: 'The server at the base URL is not the API of the platform.',
    fix: 'Set RENDERLINE_BASE_URL to the root of the API, which ends with /api/v1: https://HOST/api/v1. If it is correct, a gateway in front of the platform has responded; retry later. Runs retry automatically.',
  },
  ENOENT: { title: 'The file does not exist.', fix: 'Check the path.', exit: exitCode.notFound },
  EISDIR: {
    title: 'The path is a folder, but a file is needed.',
    fix: 'Use a file, not a folder.',
  },
  ENOTDIR: {
    title: 'The path is a file, but a folder is needed.',
    fix: 'Use a folder, not a file.',
  },
  EACCES: {
    title: 'Permission denied: this user may not read or write the path.',
    fix: 'Grant this user read and write permission.',
  },
  EADDRINUSE: {
    title: 'The port is already in use.',
    fix: 'Choose another port: --port, --health-port or --metrics-port.',
  },
  ENOSPC: { title: 'The disk is full.', fix: 'Free some disk space.', exit: exitCode.later },
  EMFILE: {
    title: 'The limit on open files has been reached.',
    fix: 'Raise the limit: ulimit -n 8192',
    exit: exitCode.later,
  },
  PROCESS_NOT_STARTED: {
    title: 'This machine cannot start another process.',
    fix: 'Free some memory, or raise the limits on processes (`ulimit -u`, or the limit of the container) and open files (`ulimit -n`). Runs retry automatically.',
    exit: exitCode.later,
  },
  SYSTEM_ERROR: {
    title: 'The operating system refused an operation.',
    fix: 'Check the path in the message, and the disk that contains the path.',
  },
  ECONNREFUSED: {
    title: 'Nothing is listening at the address.',
    fix: platformFix,
    exit: exitCode.unreachable,
  },
  ENOTFOUND: {
    title: 'The host name cannot be resolved.',
    fix: platformFix,
    exit: exitCode.unreachable,
  },
  INTERRUPTED: {
    title: 'The command was interrupted.',
    fix: 'Run the command again.',
    exit: exitCode.interrupted,
  },
  INTERNAL: {
    title: 'An unexpected error occurred.',
    fix: 'This is a bug in Renderline; RENDERLINE_LOG=debug shows more.',
    exit: exitCode.runFailed,
  },
});
