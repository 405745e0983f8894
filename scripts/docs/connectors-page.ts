// Generates the page of the connectors.
import { connectorFieldsOf } from '../../src/compile/schema.ts';
import { connectorTypes } from '../../src/connectors/index.ts';
import { formatFieldTable } from './field-tables.ts';
import { formatPage, generatedNote, toCode } from './markdown.ts';

export function formatConnectorsPage(): string {
  return formatPage(
    generatedNote,
    '# Connectors',
    'A connector is a location that files are read from or delivered to. A pipeline defines its connectors under `connectors:`; `connector_poll` reads models from one, `export` delivers to one, and `records:` may refer to one for the records. Every type works for all three.',
    ...connectorTypes.flatMap((type) => [
      `## ${toCode(type.type)}`,
      type.summary,
      `\`\`\`yaml\nconnectors:\n  ${type.example}\n\`\`\``,
      formatFieldTable(connectorFieldsOf(type)),
      type.docs,
    ]),
    '## What holds for all of them',
    list([
      'Files contain no secrets: workers and commands read credentials from their own environment. Credentials appear in no plan, history, log or error.',
      'A file may use only variables that begin with `RENDERLINE_SECRET_`, or that the operator lists in `RENDERLINE_ALLOW_SECRETS` (names separated by commas) in the environment of the process. No file may use the keys of the process itself (`RENDERLINE_…`, `TEMPORAL_…`, `AWS_…`, `AZURE_…`, `GOOGLE_…`, `GCLOUD_…`, `GCP_…`, `CLOUDSDK_…`), even if they are on the list. The same rules apply to the secrets of [notices](notices.md).',
      'Listings omit names that begin with a dot. Names that are not valid in a folder (`..`, backslashes, device names) are rejected.',
      'Files are streamed from their location and never copied to disk first. If a file is replaced or deleted between listing and upload, its asset fails with `SOURCE_CHANGED` or `FILE_GONE`, and the next run uses the file as it is then.',
      'Outputs are written to a temporary file and verified first, so they appear under their names only when they are complete. The temporary file of a dead process is deleted with the next delivery to the same folder (if another machine wrote it, after a day).',
      'A file counts as delivered when it would survive a power failure: in a folder, its bytes, its name and its new parent folders are on stable storage; on an SFTP server, its bytes; a bucket guarantees this itself. Records are written in the same way.',
      `A missing folder or bucket, rejected credentials and missing permissions stop a run with ${toCode('FOLDER_NOT_FOUND')}, ${toCode('BUCKET_NOT_FOUND')}, ${toCode('CREDENTIALS_REFUSED')} and the other [causes](errors.md#causes-that-stop-a-run), at the start of the run if they can be detected there. A connector that does not respond is retried.`,
      'Keep records and models in separate folders: a source lists everything below its folder, including records.',
    ]),
    '### Which files are new',
    list([
      'A file is new or changed if its size or ETag (Google Cloud Storage: generation) differs. Without an ETag its size or modification time counts.',
      'In a folder the change time (ctime) is checked too, so a file that was overwritten with the same size and modification time is detected.',
      'If only times or ETags differ, the content is compared: a copied or touched file is not processed again.',
      'SFTP servers report no change time. For SFTP, or if you are not sure, [`run --verify`](runs.md#verify-contents) compares the content of all files.',
    ]),
    '### Long listings',
    list([
      'Listings continue from a name in the order of UTF-8 bytes, which is the order of S3, Azure and Google Cloud Storage.',
      'An Azure service older than version 2026-02-06, such as an emulator, cannot start at a name. Each continuation then lists from the beginning and skips the known names: 1,000 requests for a million blobs, up to a hundred times.',
      'A folder (local or SFTP) with more than 100,000 files is read again for every 50,000 files, so several smaller folders are faster.',
      'A store without an order (directory buckets of S3) is listed as a whole.',
      'An Azure account with a hierarchical namespace lists folder by folder, `a/b` before `a-b`. If a continuation meets such names, the run stops with [STORE_UNSUITABLE](errors.md#store_unsuitable), because it would skip files.',
    ]),
    '### Large files',
    list([
      'A worker streams files of any size: 16 concurrently, of which at most 4 are large (models above 64 MiB, TIFFs, videos), so that small files do not wait for large ones. Runs take turns, and urgent runs go first.',
      'Outputs for buckets and servers pass through the temporary folder of the worker (`TMPDIR`), which needs space for the running transfers.',
      'After a worker dies, finished transfers are not repeated, except for less than 32 MiB of small files. A connection without progress for a minute is closed, and the transfer is retried. [Why](decisions/017-deliveries.md).',
    ]),
  );
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
