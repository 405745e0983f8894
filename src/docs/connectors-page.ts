// The page of the places where files come from and go to.
import { connectorSchemas } from '../compile/schema.ts';
import { code, generatedNote, page } from './markdown.ts';
import { fieldTable } from './schema-fields.ts';

interface TypeText {
  title: string;
  example: string;
  notes: readonly string[];
}

/** Texts beyond what the fields say; a test finds types without one. */
export const connectorTexts: Readonly<Record<string, TypeText>> = {
  local: {
    title: 'Local folder',
    example: 'models: { type: local, path: "${{ params.folder }}" }',
    notes: [
      'A folder of the worker, or one mounted there. Nothing outside it is read or written, whatever a path or a link says. It is made when something is written. Workers on several machines may each have a folder of this path: a run finds out before it begins, or `host` says whose is meant ([several machines](deployment.md#several-machines)).',
    ],
  },
  s3: {
    title: 'S3 and compatible stores',
    example:
      'pictures: { type: s3, bucket: acme-media, prefix: shoes/spring, region: eu-central-1 }',
    notes: [
      "Credentials come by AWS's own chain from the environment of the worker and of the command: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` (and `AWS_SESSION_TOKEN`), `AWS_PROFILE`, single sign-on, a web identity, the role of the machine.",
      'They must be allowed `s3:ListBucket` on the bucket, and `s3:GetObject`, `s3:PutObject` and `s3:DeleteObject` below the prefix.',
      'For a store of your own give `endpoint` (https, or a host that [`RENDERLINE_ALLOW_HOSTS`](deployment.md#what-leaves-the-machine) names), and mostly `pathStyle: true`. Records need conditional writes (`If-None-Match: *`); a store that ignores that header cannot hold them.',
    ],
  },
  sftp: {
    title: 'SFTP server',
    example:
      'models: { type: sftp, host: files.example.com, user: render, path: /upload, hostKey: "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", privateKeyFrom: RENDERLINE_SECRET_FILES_KEY }',
    notes: [
      'The private key (OpenSSH or PEM, unencrypted) or the password stands in the environment variable that is named, of the worker and of the command: `export RENDERLINE_SECRET_FILES_KEY="$(cat ~/.ssh/render_ed25519)"`.',
      'Without `hostKey` no server is trusted. The error shows the fingerprint that was seen; compare it with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the server and write it into the file.',
      'Outputs replace each other in one step by `posix-rename@openssh.com`, and records are created by a rename that fails when the name is taken: OpenSSH has both, a server without them is refused or cannot hold records.',
      'Times on a server have whole seconds, so a file that is replaced by one of the same size within a second looks unchanged. Links that lead out of the folder are not followed.',
    ],
  },
  azure: {
    title: 'Azure Blob Storage',
    example: 'pictures: { type: azure, container: media, prefix: shoes/spring }',
    notes: [
      'The connection string (account, key or signature, endpoint) stands in `AZURE_STORAGE_CONNECTION_STRING`, or in the environment variable that `connectionStringFrom` names, of the worker and of the command. It must allow listing, reading, writing and deleting in the container.',
    ],
  },
  gcs: {
    title: 'Google Cloud Storage',
    example: 'pictures: { type: gcs, bucket: acme-media, prefix: shoes/spring }',
    notes: [
      'Credentials come by application default credentials from the environment of the worker and of the command (`GOOGLE_APPLICATION_CREDENTIALS`, a login of `gcloud`, the role of the machine), or from the key file whose path stands in the variable that `keyFileFrom` names. They must allow listing, reading, creating and deleting objects of the bucket.',
      'An `endpoint` without `keyFileFrom` is asked without credentials. Object generations tell versions apart.',
    ],
  },
};

export function connectorsPage(): string {
  return page(
    generatedNote,
    '# Connectors',
    'A connector is a place where files come from or go to. A pipeline names its places under `connectors:`; `connector_poll` takes models from one, `export` delivers to one, and `records:` may name one for the records. All types work in all three.',
    ...connectorSchemas().flatMap(({ type, schema }) => {
      const text = connectorTexts[type];
      return [
        `## ${text?.title ?? type}`,
        `\`\`\`yaml\nconnectors:\n  ${text?.example ?? ''}\n\`\`\``,
        fieldTable(schema),
        ...(text?.notes ?? []),
      ];
    }),
    '## What holds for all of them',
    list([
      'No secret stands in a file: credentials are read from the environment of the process that needs them, the worker and the command alike. They are in no plan, history, log or error.',
      'A file may name only variables that begin with `RENDERLINE_SECRET_`, or that the operator lists in `RENDERLINE_ALLOW_SECRETS` (names with commas between them) in the environment of that process. Keys of the process itself (`RENDERLINE_…`, `TEMPORAL_…`, `AWS_…`, `AZURE_…`, `GOOGLE_…`, `GCLOUD_…`, `GCP_…`, `CLOUDSDK_…`) no file may name, also where the list has them. The same holds for the secrets of [notices](webhooks.md#being-told-how-runs-end).',
      'Names that begin with a dot are left out of listings. Names that no folder could have (`..`, backslashes, device names) are refused.',
      'Long listings go on from a name, in the order of UTF-8 bytes, in which S3, Azure and Google Cloud Storage list. Azure begins anew each time and passes over what came before: 200 requests for a million blobs, up to a hundred times. Of a folder or SFTP server with more than 100,000 files in one folder that folder is read again for each 50,000 of them, so more folders are faster. A store that lists in no order (directory buckets of S3) is listed as a whole.',
      'A file is one version: it is read from where it lies and streamed on, never copied to disk first. When it is replaced or deleted between listing and upload its asset fails with `SOURCE_CHANGED` or `FILE_GONE`, and the next run takes what is there then.',
      'Outputs are filled and checked in a temporary file first, and appear under their names only when they are whole. What a process that died was filling goes with the next file that comes to the same folder, from another machine after a day.',
      'A file counts as delivered once it would survive a power cut: in a folder its bytes, its name and the folders that were made for it are on stable storage, on an SFTP server its bytes; a bucket answers for itself. Records are written so, too.',
      'Files go through a worker piece by piece, whatever their size: 16 at once, at most 4 of them large (models above 64 MiB, TIFFs, videos), so that small ones pass large ones; runs that are urgent go first. Buckets and servers get outputs from the temporary folder of the worker (`TMPDIR`), which needs room for what is under way. When a worker dies, what was up or delivered is not moved again, except less than 32 MiB of small files; a connection on which nothing moves for a minute is made anew. [Why so](decisions/042-transfers.md).',
      'What is new or changed is told by size and ETag (Google Cloud Storage: generation) where there is one, else by size and time. In a folder the time at which the disk itself saw the last change is a reason to look as well, so a file that was overwritten under its old size and time is found. Content is compared only where one of these differs and the size is the same: a file that was copied or touched is not done again. SFTP servers tell of no such change; there, and wherever you are not sure, [`run --verify`](runs.md#what-only-the-content-tells) compares all of it.',
      `A missing place, refused credentials and missing rights stop a run with ${code('FOLDER_NOT_FOUND')}, ${code('BUCKET_NOT_FOUND')}, ${code('CREDENTIALS_REFUSED')} and the other [causes](errors.md#causes-that-stop-a-run), at its start where they can be seen there. A place that does not answer is tried again.`,
      'Keep records and models apart: listing a source passes over everything below its folder, so a source that holds the records lists them too.',
    ]),
  );
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
