// The page of the places where files come from and go to.
import { connectorFields } from '../compile/schema.ts';
import { connectorTypes } from '../connectors/index.ts';
import { code, generatedNote, page } from './markdown.ts';
import { fieldTable } from './schema-fields.ts';

export function connectorsPage(): string {
  return page(
    generatedNote,
    '# Connectors',
    'A connector is a place where files come from or go to. A pipeline names its places under `connectors:`; `connector_poll` takes models from one, `export` delivers to one, and `records:` may name one for the records. All types work in all three.',
    ...connectorTypes.flatMap((type) => [
      `## ${code(type.type)}`,
      type.summary,
      `\`\`\`yaml\nconnectors:\n  ${type.example}\n\`\`\``,
      fieldTable(connectorFields(type)),
      type.docs,
    ]),
    '## What holds for all of them',
    list([
      'No secret stands in a file: credentials are read from the environment of the process that needs them, the worker and the command alike. They are in no plan, history, log or error.',
      'A file may name only variables that begin with `RENDERLINE_SECRET_`, or that the operator lists in `RENDERLINE_ALLOW_SECRETS` (names with commas between them) in the environment of that process. Keys of the process itself (`RENDERLINE_…`, `TEMPORAL_…`, `AWS_…`, `AZURE_…`, `GOOGLE_…`, `GCLOUD_…`, `GCP_…`, `CLOUDSDK_…`) no file may name, also where the list has them. The same holds for the secrets of [notices](webhooks.md#being-told-how-runs-end).',
      'Names that begin with a dot are left out of listings. Names that no folder could have (`..`, backslashes, device names) are refused.',
      'Long listings go on from a name, in the order of UTF-8 bytes, in which S3, Azure and Google Cloud Storage list. Azure begins anew each time and passes over what came before: 200 requests for a million blobs, up to a hundred times. Of a folder or SFTP server with more than 100,000 files in one folder that folder is read again for each 50,000 of them, so more folders are faster. A store that lists in no order (directory buckets of S3) is listed as a whole.',
      'A file is one version: it is read from where it lies and streamed on, never copied to disk first. When it is replaced or deleted between listing and upload its asset fails with `SOURCE_CHANGED` or `FILE_GONE`, and the next run takes what is there then.',
      'Outputs are filled and checked in a temporary file first, and appear under their names only when they are whole. What a process that died was filling goes with the next file that comes to the same folder, from another machine after a day.',
      'A file counts as delivered once it would survive a power cut: in a folder its bytes, its name and the folders that were made for it are on stable storage, on an SFTP server its bytes; a bucket answers for itself. Records are written so, too.',
      'Files go through a worker piece by piece, whatever their size: 16 at once, at most 4 of them large (models above 64 MiB, TIFFs, videos), so that small ones pass large ones; runs take turns, and those that are urgent go first. Buckets and servers get outputs from the temporary folder of the worker (`TMPDIR`), which needs room for what is under way. When a worker dies, what was up or delivered is not moved again, except less than 32 MiB of small files; a connection on which nothing moves for a minute is made anew. [Why so](decisions/042-transfers.md).',
      'What is new or changed is told by size and ETag (Google Cloud Storage: generation) where there is one, else by size and time. In a folder the time at which the disk itself saw the last change is a reason to look as well, so a file that was overwritten under its old size and time is found. Content is compared only where one of these differs and the size is the same: a file that was copied or touched is not done again. SFTP servers tell of no such change; there, and wherever you are not sure, [`run --verify`](runs.md#what-only-the-content-tells) compares all of it.',
      `A missing place, refused credentials and missing rights stop a run with ${code('FOLDER_NOT_FOUND')}, ${code('BUCKET_NOT_FOUND')}, ${code('CREDENTIALS_REFUSED')} and the other [causes](errors.md#causes-that-stop-a-run), at its start where they can be seen there. A place that does not answer is tried again.`,
      'Keep records and models apart: listing a source passes over everything below its folder, so a source that holds the records lists them too.',
    ]),
  );
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
