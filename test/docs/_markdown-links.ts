// Links and headings of Markdown pages, as GitHub interprets them.

export interface Link {
  /** The path as written, without the anchor. '' for the page itself. */
  path: string;
  /** Anchor without `#`. '' if the link contains none. */
  anchor: string;
  line: number;
}

/** Links and images of a page that lead to files of the repository. Code is skipped. */
export function linksOf(text: string): Link[] {
  const links: Link[] = [];
  withoutCode(text).forEach((line, index) => {
    const inline = [...line.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
    const html = [...line.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)];
    for (const [, target = ''] of [...inline, ...html]) {
      if (/^[a-z][a-z+.-]*:/i.test(target)) continue;
      const [path = '', anchor = ''] = target.split('#', 2);
      links.push({ path: decodeURIComponent(path), anchor, line: index + 1 });
    }
  });
  return links;
}

/** Anchors of a page's headings, numbered like GitHub's if they repeat. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of withoutCode(text, true)) {
    const [, heading] = /^#{1,6}\s+(.+?)\s*#*$/.exec(line) ?? [];
    if (heading === undefined) continue;
    const slug = slugOf(heading);
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n += 1) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of text.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** The lines of a page. Lines in code fences are empty. Inline code is removed unless `keepsInline` is set. */
function withoutCode(text: string, keepsInline = false): string[] {
  let fence: string | null = null;
  return text.split('\n').map((line) => {
    const [, mark] = /^\s*(```+|~~~+)/.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
      return '';
    }
    if (mark !== undefined) {
      fence = mark;
      return '';
    }
    return keepsInline
      ? line
      : line.replace(/(`+)(?:(?!\1).)+\1/g, (code) => 'x'.repeat(code.length));
  });
}
