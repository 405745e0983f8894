// Failures of files and connectors while sources are read and outputs are delivered.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

/** Failures of a single file. */
export const pathFailures = defineFailures('asset', {
  FILE_GONE: {
    title: 'The file existed when the run started and is now missing.',
    fix: 'Restore the file; the next run processes it.',
    exit: exitCode.notFound,
  },
  UNREADABLE: {
    title: 'The file cannot be read.',
    fix: "Grant the worker's user read permission. If the message says EIO, check the disk or the network drive.",
    exit: exitCode.usage,
  },
  FILE_ARCHIVED: {
    title: 'The file is in an archive storage class and cannot be read.',
    fix: 'Restore the file or move it to another storage class; the next run processes it.',
    exit: exitCode.usage,
  },
  FILE_BUSY: {
    title: 'Another program has the file open or locked.',
    fix: 'Close or unlock the file in that program; the next run processes it.',
    exit: exitCode.later,
  },
  FILE_REFUSED: {
    title:
      'Access to this file is denied, although other files of the connector can be read or written.',
    fix: 'As the message says, grant the credentials access to the file, rename the file, or unlock it; the next run processes it.',
    exit: exitCode.usage,
  },
  HOSTILE_PATH: {
    title: 'The file name is not allowed, or its path leads out of the folder.',
    fix: 'Rename the file.',
    exit: exitCode.usage,
  },
  TOO_LARGE: {
    title: 'The file is larger than the limit.',
    fix: 'Make the file smaller.',
    exit: exitCode.usage,
  },
});

/** Failures of a whole connector. */
export const storageFailures = defineFailures('run', {
  DISK_FULL: {
    title: 'The disk is full.',
    fix: 'Free some disk space, then resume the run.',
    stops: 'later',
    exit: exitCode.later,
  },
  UNWRITABLE: {
    title: 'The folder is not writable.',
    fix: "Grant the worker's user write permission, then resume the run.",
    stops: 'later',
  },
  PLACE_UNREADABLE: {
    title: "None of the connector's files can be read.",
    fix: 'Check the disk, the network drive or the permissions of the files, then resume the run.',
    stops: 'later',
  },
  STORE_UNSUITABLE: {
    title: 'The object store does not support a request that Renderline needs.',
    fix: 'Use a store that supports the request, or choose another connector for the records under `records:`. Then run again.',
    stops: 'later',
  },
  CLOCK_DIFFERS: {
    title:
      "An object store refuses requests because this machine's clock differs from that of the store.",
    fix: "Synchronize the machine's clock (NTP), then resume the run.",
    stops: 'later',
  },
  RECORDS_UNREADABLE: {
    title: 'The records of the run cannot be read, or are not where this worker looks for them.',
    fix: 'Make the same folder readable for every worker, then resume the run.',
    stops: 'later',
  },
  RECORDS_UNSAFE: {
    title:
      'The records location does not store data reliably, so two runs could do and pay for the same work; nothing was started.',
    fix: 'Set another location under `records:`: a folder that all workers share, or a bucket or server that supports create-if-absent, lists a new file immediately, and can replace and delete files.',
    stops: 'never',
  },
  FOLDER_NOT_FOUND: {
    title: 'The folder does not exist.',
    fix: "Correct the path in the pipeline file or in the parameter, or create the folder on the worker's machine.",
    stops: 'not-found',
    exit: exitCode.notFound,
  },
  NOT_A_FOLDER: {
    title: 'The path is a file, but a folder is needed.',
    fix: 'Use a folder, or move the file away.',
    stops: 'not-found',
  },
  BUCKET_NOT_FOUND: {
    title: 'The bucket or container does not exist.',
    fix: 'Correct its name, region or endpoint, or create the bucket; Renderline does not create buckets.',
    stops: 'not-found',
    exit: exitCode.notFound,
  },
  CREDENTIALS_MISSING: {
    title: 'The worker has no credentials for a connector.',
    fix: 'Set the credentials in the environment of the worker and the command, then resume the run.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  SECRET_NOT_ALLOWED: {
    title: 'A connector names an environment variable that pipeline files may not use.',
    fix: 'Rename the variable so that it begins with RENDERLINE_SECRET_, or ask the operator to add it to RENDERLINE_ALLOW_SECRETS. Pipeline files can never use the keys of the worker itself.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  ENDPOINT_NOT_ALLOWED: {
    title:
      'A pipeline file would send credentials to an address that the operator has not allowed.',
    fix: 'If the address is right, add it to RENDERLINE_ALLOW_HOSTS of the worker and of the command (for S3 also AWS_ENDPOINT_URL_S3), then resume the run.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  CREDENTIALS_REFUSED: {
    title: 'The credentials of a connector were rejected.',
    fix: 'Correct or renew the credentials in the environment of the worker, then resume the run.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  ACCESS_DENIED: {
    title: 'The credentials of a connector lack a permission.',
    fix: 'Grant the credentials permission to list, read, write and delete, then resume the run.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  HOST_KEY_REFUSED: {
    title: 'The host key of a server differs from the trusted one, or no host key is trusted yet.',
    fix: 'Compare the fingerprint with that of the server. If the two match, write the fingerprint under `hostKey:`.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  CONNECTOR_MISCONFIGURED: {
    title: 'The configuration of a connector is invalid.',
    fix: 'Correct the connector in the file.',
    stops: 'never',
  },
  CERTIFICATE_REFUSED: {
    title: "This machine does not trust the server's certificate.",
    fix: 'Trust the certificate (PEM) of the authority that signed it, for example that of a company proxy: export NODE_EXTRA_CA_CERTS=FILE for commands, workers and receivers; then resume the run. A certificate that has expired or names another host must be renewed on the server.',
    stops: 'later',
    exit: exitCode.unreachable,
  },
  PROXY_REFUSED: {
    title: 'A proxy (HTTPS_PROXY, HTTP_PROXY) blocks the connection.',
    fix: 'Add the user and password to the variable, allow the host on the proxy, or add the host to NO_PROXY. For a run, change the environment of its workers, then resume it.',
    stops: 'later',
    exit: exitCode.unreachable,
  },
  CONNECTOR_UNREACHABLE: {
    title: 'A connector does not respond.',
    fix: 'Check the connector’s endpoint and the network; a run retries automatically.',
    exit: exitCode.unreachable,
  },
  SOURCE_EMPTY: {
    title: 'The source had files when it was listed, and now has none.',
    fix: 'Mount or restore the source; the run retries automatically.',
    exit: exitCode.notFound,
  },
  TOO_MANY_OPEN_FILES: {
    title: "The limit on open files on the worker's machine has been reached.",
    fix: 'Raise the worker’s limit on open files (`ulimit -n`), and restart the worker; the run retries automatically.',
    exit: exitCode.later,
  },
  UNKNOWN_CONNECTOR: {
    title: 'A worker or command does not have the plugin of this connector type.',
    fix: 'List the plugin under `plugins:` in the renderline.yaml of every worker, restart the workers, then resume the run.',
    stops: 'later',
  },
});
