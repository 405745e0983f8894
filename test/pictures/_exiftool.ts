// ExifTool, an independent reader of metadata. The tests use the machine's Perl, as DAMs and marketplaces do.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const script = require.resolve('exiftool-vendored.pl/bin/exiftool');

export type ExifToolTags = Record<string, unknown> & { problems: string[] };

/**
 * Metadata of each file as ExifTool reads them, by group and tag. Its complaints about the file are under `problems`.
 */
export function readWithExifTool(...files: readonly string[]): ExifToolTags[] {
  const options = [
    '-j',
    '-q',
    '-struct',
    '-G1',
    '-a',
    '-XMP:all',
    '-IPTC:all',
    '-EXIF:all',
    '-IPTCDigest',
    '-CurrentIPTCDigest',
    '-validate',
    '-warning',
    '-error',
  ];
  return (JSON.parse(runExifTool(...options, ...files)) as Record<string, unknown>[]).map(
    (tags) => {
      const all = Object.entries(tags);
      // A block of Exif with texts alone lacks what cameras must write, and is read by all.
      const isProblem = ([name, message]: [string, unknown]) =>
        /:(?:Warning|Error)$/.test(name) && !/^Missing required \w+ \w+ tag/.test(String(message));
      return {
        ...Object.fromEntries(
          all.filter(([name]) => name !== 'SourceFile' && !/^(?:ExifTool|XMP-x):/.test(name)),
        ),
        problems: all.filter(isProblem).map(([, message]) => String(message)),
      };
    },
  );
}

/** What ExifTool prints. */
export function runExifTool(...args: readonly string[]): string {
  return execFileSync('perl', [script, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
}
