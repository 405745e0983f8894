// What a glob over paths may hold: what the matcher reads as people mean it, in bounded time.
/** Each star in a name, and each ** in a path, is one more power of its length. */
const mostStarsInName = 3;
const mostFolderStars = 2;

/** Why a glob cannot be used, or null when it can. */
export function refuseGlob(source: string): { reason: string; offset: number } | null {
  const extended = source.search(/[@!+*?]\(/);
  if (extended !== -1) {
    return { reason: 'uses an extended pattern such as +(a|b)', offset: extended };
  }
  const backslash = source.indexOf('\\');
  if (backslash !== -1) return { reason: 'holds a backslash; paths use /', offset: backslash };
  const negation = source.indexOf('[!');
  if (negation !== -1) return { reason: 'negates with [!; write [^', offset: negation };
  if (source.startsWith('!')) return { reason: 'begins with !; use exclude', offset: 0 };
  if (source.startsWith('/')) return { reason: 'begins with /; paths are relative', offset: 0 };
  const up = /(?:^|\/)\.\.(?:\/|$)/.exec(source);
  if (up !== null) return { reason: 'leaves the folder with ..', offset: up.index };
  const unbalanced = unbalancedAt(source);
  if (unbalanced !== null) return { reason: 'has a bracket without its pair', offset: unbalanced };
  if (source.split(/[/,{}]/).some((name) => name !== '**' && starsIn(name) > mostStarsInName)) {
    return { reason: `has more than ${mostStarsInName} stars in one name`, offset: 0 };
  }
  if (/\{[^{}]*\{/.test(source)) return { reason: 'nests braces', offset: source.indexOf('{') };
  if (/\{\d+\.\.\d+/.test(source))
    return { reason: 'counts with {1..9}', offset: source.indexOf('{') };
  if (folderStars(source) > mostFolderStars) {
    return { reason: `has more than ${mostFolderStars} times **`, offset: 0 };
  }
  return null;
}

function starsIn(name: string): number {
  return name.match(/\*/g)?.length ?? 0;
}

/** The most `**` that one way through the braces has. */
function folderStars(source: string): number {
  const count = (text: string) => text.match(/\*\*/g)?.length ?? 0;
  let most = count(source.replace(/\{[^{}]*\}/g, ''));
  for (const [braces] of source.matchAll(/\{[^{}]*\}/g)) {
    most += Math.max(...braces.split(',').map(count));
  }
  return most;
}

function unbalancedAt(source: string): number | null {
  const open: number[] = [];
  const pairs: Record<string, string> = { ']': '[', '}': '{', ')': '(' };
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? '';
    if ('[{('.includes(char)) open.push(at);
    const opener = pairs[char];
    if (opener !== undefined && source[open.pop() ?? -1] !== opener) return at;
  }
  return open.at(-1) ?? null;
}
