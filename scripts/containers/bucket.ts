// Accesses the bucket of an installation from outside, for sizes, backup and restore.
import {
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';

const name = 'renderline';

export class Bucket {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  /** Returns the size in bytes of each object with this key prefix. */
  async sizes(prefix: string): Promise<Map<string, number>> {
    const sizeByKey = new Map<string, number>();
    const request = { Bucket: name, Prefix: prefix };
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: this.#client },
      request,
    )) {
      for (const { Key = '', Size = 0 } of Contents) sizeByKey.set(Key, Size);
    }
    return sizeByKey;
  }

  /** Reads all objects by key. An object that is replaced in the meantime is copied in its old or new state. */
  async copy(): Promise<Map<string, Uint8Array>> {
    const objects = new Map<string, Uint8Array>();
    for (const Key of (await this.sizes('')).keys()) {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: name, Key }));
      objects.set(Key, (await Body?.transformToByteArray()) ?? new Uint8Array());
    }
    return objects;
  }

  async put(objects: ReadonlyMap<string, Uint8Array>): Promise<void> {
    for (const [Key, Body] of objects) {
      await this.#client.send(new PutObjectCommand({ Bucket: name, Key, Body }));
    }
  }
}

/** Opens the bucket for `task`. @param port port of the object store on this machine */
export async function withBucket<T>(
  port: number,
  task: (bucket: Bucket) => Promise<T>,
): Promise<T> {
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    // Credentials from deploy/sandbox.env.
    credentials: { accessKeyId: 'renderline', secretAccessKey: 'renderline-secret' },
  });
  try {
    return await task(new Bucket(client));
  } finally {
    client.destroy();
  }
}
