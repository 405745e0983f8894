// Keys of a listing are decoded correctly, however a store handles `encoding-type=url`.
import { describe, expect, it } from 'vitest';
import { asAmazon, useSmallS3 } from './_small-s3.ts';
import { collect } from './_temp-folder.ts';

const s3 = useSmallS3();
const names = [
  'a b.glb',
  'a+b.glb',
  '50% off.glb',
  'ä.glb',
  'x%20y.glb',
  '%.glb',
  '%E4.glb',
  'a&b.glb',
  'A/B 2+.glb',
].sort();

describe.each([
  ['that encodes names as Amazon does', asAmazon],
  ['that encodes a space as %20', encodeURIComponent],
  ['that does not encode slashes', (key: string) => encodeURIComponent(key).replaceAll('%2F', '/')],
  ['that ignores `encoding-type`', null],
])('a store %s', (_, encode) => {
  it('a store lists each key under its own name, which can be read, written and removed', async () => {
    s3.encode = encode;
    for (const name of names) s3.objects.set(`in/${name}`, Buffer.from(name));
    const connector = s3.connector();
    const listed = await collect(connector.names());
    expect(listed.sort()).toEqual(names);
    for (const name of listed) {
      expect((await connector.read(name)).toString()).toBe(name);
      await connector.write(name, Buffer.from('new'));
      expect(s3.objects.get(`in/${name}`)?.toString()).toBe('new');
      await connector.remove(name);
    }
    expect(s3.objects.size).toBe(0);
  });
});

it('a key that cannot be decoded is listed unchanged', async () => {
  s3.encode = (key) => key;
  s3.objects.set('in/50% off.glb', Buffer.from('x'));
  expect(await collect(s3.connector().names())).toEqual(['50% off.glb']);
});
