// Files and folders, on the way in and out.
import { defineFailures } from './define.ts';
import { exitCode } from './exit-code.ts';

/** Failures of one file. */
export const pathFailures = defineFailures('asset', {
  FILE_GONE: {
    title: 'The file was there when the run began and is gone now.',
    fix: 'Put it back; the next run takes it.',
    exit: exitCode.notFound,
  },
  UNREADABLE: {
    title: 'The file cannot be read.',
    fix: 'Let the user of the worker read it; where the message says EIO, look at the disk or the network drive.',
    exit: exitCode.usage,
  },
  FILE_ARCHIVED: {
    title: 'The file is in an archive of its store and cannot be read there.',
    fix: 'Restore it, or move it to another storage class; the next run takes it.',
    exit: exitCode.usage,
  },
  FILE_BUSY: {
    title: 'Another program has the file open, or holds it.',
    fix: 'Close it there, or unlock it; the next run takes it.',
    exit: exitCode.later,
  },
  FILE_REFUSED: {
    title: 'This one file is refused, while others of its place can be read or written.',
    fix: 'Let the credentials read or write it, free its name, or unlock it, as the message says; the next run takes it.',
    exit: exitCode.usage,
  },
  HOSTILE_PATH: {
    title: 'The name cannot be used, or leads out of the folder.',
    fix: 'Rename the file.',
    exit: exitCode.usage,
  },
  TOO_LARGE: {
    title: 'The file is larger than is allowed here.',
    fix: 'Make it smaller.',
    exit: exitCode.usage,
  },
});

/** Failures of a whole connector. */
export const placeFailures = defineFailures('run', {
  DISK_FULL: {
    title: 'No space is left.',
    fix: 'Free some space, then resume the run.',
    stops: 'later',
    exit: exitCode.later,
  },
  UNWRITABLE: {
    title: 'The folder cannot be written to.',
    fix: 'Let the user of the worker write there, then resume the run.',
    stops: 'later',
  },
  PLACE_UNREADABLE: {
    title: 'None of the files of a place can be read.',
    fix: 'Look at the disk, the network drive or the rights of its files, then resume the run.',
    stops: 'later',
  },
  STORE_UNSUITABLE: {
    title: 'A store does not know a request that is needed.',
    fix: 'Use a store that knows it, or name another connector for the records under `records:`; then run again.',
    stops: 'later',
  },
  CLOCK_DIFFERS: {
    title: 'A store refuses requests because the clock of this machine differs from its own.',
    fix: 'Set the clock of the machine, best by NTP, then resume the run.',
    stops: 'later',
  },
  RECORDS_UNREADABLE: {
    title: 'The records of the run cannot be read, or are not where this worker looks for them.',
    fix: 'Bring their folder back as it was: mounted, readable, and the same for every worker. Then resume the run.',
    stops: 'later',
  },
  RECORDS_UNSAFE: {
    title:
      'The place of the records does not keep what it is told, so that two runs could do, and pay, the same work; nothing was begun.',
    fix: 'Name another place under `records:`: a folder that all workers share, or a bucket or server that creates a file only where none is, lists it at once, replaces and deletes it.',
    stops: 'never',
  },
  FOLDER_NOT_FOUND: {
    title: 'The folder does not exist.',
    fix: 'Correct the parameter, or make the folder on the machine of the worker.',
    stops: 'not-found',
    exit: exitCode.notFound,
  },
  NOT_A_FOLDER: {
    title: 'A file stands where a folder is needed.',
    fix: 'Name a folder, or move the file away.',
    stops: 'not-found',
  },
  BUCKET_NOT_FOUND: {
    title: 'The bucket or container does not exist.',
    fix: 'Correct its name, region or endpoint, or make it; Renderline makes none.',
    stops: 'not-found',
    exit: exitCode.notFound,
  },
  CREDENTIALS_MISSING: {
    title: 'The worker has no credentials for a connector.',
    fix: 'Set them in the environment of the worker and of the command, then resume the run.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  SECRET_NOT_ALLOWED: {
    title: 'A connector names a variable of the environment that no pipeline file may use.',
    fix: 'Rename it so that it begins with RENDERLINE_SECRET_, or let the operator put it on RENDERLINE_ALLOW_SECRETS; keys of the worker itself stay its own.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  ENDPOINT_NOT_ALLOWED: {
    title:
      'A pipeline file names an address that would get credentials, and the operator has not allowed it.',
    fix: 'If the address is right, name it in RENDERLINE_ALLOW_HOSTS of the worker and of the command (for S3 also AWS_ENDPOINT_URL_S3), then resume the run.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  CREDENTIALS_REFUSED: {
    title: 'The credentials of a connector are not accepted.',
    fix: 'Correct or renew them in the environment of the worker, then resume the run.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  ACCESS_DENIED: {
    title: 'The credentials of a connector may not do this.',
    fix: 'Let them list, read, write and remove there, then resume the run.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  HOST_KEY_REFUSED: {
    title: 'A server shows another host key than the one that is trusted, or none is trusted.',
    fix: 'Compare the fingerprint with that of the server, and write it under `hostKey:`.',
    stops: 'auth',
    exit: exitCode.auth,
  },
  CONNECTOR_MISCONFIGURED: {
    title: 'A connector cannot be used as it is written.',
    fix: 'Correct the connector in the file.',
    stops: 'never',
  },
  CERTIFICATE_REFUSED: {
    title: 'The server shows a certificate that this machine does not trust.',
    fix: 'Name the certificate (PEM) of the authority that signed it, such as that of a company’s proxy: export NODE_EXTRA_CA_CERTS=FILE, for commands, workers and receivers; for a run, then resume it. An expired one, or one for another name, is renewed where the server is.',
    stops: 'later',
    exit: exitCode.unreachable,
  },
  PROXY_REFUSED: {
    title: 'A proxy (HTTPS_PROXY, HTTP_PROXY) does not let through.',
    fix: 'Put user and password into the variable, let the proxy admit the host, or name the host in NO_PROXY; for a run on its workers, then resume it.',
    stops: 'later',
    exit: exitCode.unreachable,
  },
  CONNECTOR_UNREACHABLE: {
    title: 'The place of a connector does not answer.',
    fix: 'Check its endpoint and the network; a run tries again by itself.',
    exit: exitCode.unreachable,
  },
  TOO_MANY_OPEN_FILES: {
    title: 'No more files may be open at once on the machine of the worker.',
    fix: 'Raise the limit of open files (`ulimit -n`) of the worker, and start it anew; the run tries again by itself.',
    exit: exitCode.later,
  },
  UNKNOWN_CONNECTOR: {
    title: 'A worker, or a command, does not know this type of connector: that of a plugin.',
    fix: 'Name the plugin under `plugins:` in the renderline.yaml of every worker, start them anew, then resume the run.',
    stops: 'later',
  },
});
