// Failures to reach servers, files or the person.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

const askTemporal = [
  'Start everything on this machine:      renderline dev',
  'Or point at a running Temporal server: export TEMPORAL_ADDRESS=host:7233',
].join('\n');
const lookAround = 'Check RENDERLINE_BASE_URL; `renderline doctor` looks at every part of the way.';

export const wayFailures = defineFailures('command', {
  TEMPORAL_UNREACHABLE: {
    title: 'No Temporal server answers.',
    fix: askTemporal,
    exit: exitCode.unreachable,
  },
  TEMPORAL_NOT_FOUND: {
    title: 'No Temporal server program was found.',
    fix: 'Each way that was tried has its way out in the message.',
    exit: exitCode.unreachable,
  },
  TEMPORAL_NOT_STARTED: {
    title: 'The local Temporal server did not start.',
    fix: askTemporal,
    exit: exitCode.unreachable,
  },
  TEMPORAL_DENIED: {
    title: 'Temporal refuses the credentials.',
    fix: 'Check TEMPORAL_API_KEY, TEMPORAL_NAMESPACE and the TLS certificates.',
    exit: exitCode.auth,
  },
  CODEC_KEY_MISSING: {
    title: 'What Temporal holds is encrypted with a key that is not set here.',
    fix: 'Add the key to RENDERLINE_CODEC_KEYS or RENDERLINE_CODEC_KEYS_FILE.',
    exit: exitCode.auth,
  },
  CODEC_KEY_WRONG: {
    title:
      'What Temporal holds cannot be decrypted: the key of that id is another one here, or a payload was changed.',
    fix: 'Compare RENDERLINE_CODEC_KEYS, or the file of RENDERLINE_CODEC_KEYS_FILE, with that of the workers.',
    exit: exitCode.auth,
  },
  NOT_RECORDED: {
    title: 'Temporal did not take the record of who does what, so nothing was done.',
    fix: 'Try again. Where Temporal decides who may signal, allow the workflow audit/TASK_QUEUE.',
    exit: exitCode.later,
  },
  TEMPORAL_BUSY: {
    title: 'The Temporal server asks to slow down.',
    fix: 'Try again.',
    exit: exitCode.later,
  },
  NAMESPACE_NOT_FOUND: {
    title: 'The Temporal server has no such namespace.',
    fix: 'Set TEMPORAL_NAMESPACE to one that the server has, or create it there.',
    exit: exitCode.notFound,
  },
  API_UNREACHABLE: {
    title: 'The platform does not answer.',
    fix: lookAround,
    exit: exitCode.unreachable,
  },
  NOT_THE_API: {
    title: 'What answers at the base URL is not the API of the platform.',
    fix: 'Set RENDERLINE_BASE_URL to the root of the API, which ends with /api/v1: https://HOST/api/v1',
  },
  ENOENT: { title: 'There is no such file.', fix: 'Check the path.', exit: exitCode.notFound },
  EISDIR: {
    title: 'A folder stands where a file is needed.',
    fix: 'Name a file, not a folder.',
  },
  ENOTDIR: {
    title: 'A file stands where a folder is needed.',
    fix: 'Name a folder, not a file.',
  },
  EACCES: {
    title: 'Reading or writing is not allowed.',
    fix: 'Let this user read and write there.',
  },
  EADDRINUSE: {
    title: 'The port is taken.',
    fix: 'Something listens there already; choose another: --port, --health-port or --metrics-port.',
  },
  ENOSPC: { title: 'No space is left.', fix: 'Free some space.', exit: exitCode.later },
  EMFILE: {
    title: 'No more files may be open at once.',
    fix: 'Raise the limit of open files: ulimit -n 1024',
    exit: exitCode.later,
  },
  ECONNREFUSED: {
    title: 'Nothing listens at the address.',
    fix: lookAround,
    exit: exitCode.unreachable,
  },
  ENOTFOUND: { title: 'The host is not known.', fix: lookAround, exit: exitCode.unreachable },
  INTERRUPTED: {
    title: 'The command was interrupted.',
    fix: 'Run it again.',
    exit: exitCode.interrupted,
  },
  INTERNAL: {
    title: 'Something happened that nobody foresaw.',
    fix: 'This is a fault in Renderline; RENDERLINE_LOG=debug shows more.',
    exit: exitCode.runFailed,
  },
});
