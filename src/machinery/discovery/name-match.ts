// Names of platform objects against a glob. They are no paths: a star also stands for a slash.
import { GlobSet } from '../../language/glob-set.ts';

/** Tells whether a name fits, without regard to case. */
export function nameMatcher(glob: string): (name: string) => boolean {
  const globs = new GlobSet([glob], { style: 'name', ignoreCase: true });
  return (name) => globs.fits(name);
}

/** The longest text that every name of the glob holds, for lists that look for a part of a name; or none. */
export function certainPart(glob: string): string | undefined {
  const parts = glob.replaceAll(/\[[^\]]*\]|\{[^}]*\}/g, '*').split(/[*?]+/);
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
  return longest.trim() === '' ? undefined : longest.trim();
}
