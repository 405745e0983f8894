// Links to the pages of the program, which lie on the machine of the job where nobody can open them.

const ofPackage = /file:\/\/\S*?\/(docs\/errors\.md#[a-z0-9_]+)/g;
const mostCodes = 20;

/**
 * Address of the repository's files as the program of this version has them; null outside of GitHub.
 * An action of the same checkout (`uses: ./`) belongs to the commit of the job.
 */
export function docsRoot(env, version) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: own, GITHUB_SHA: commit } = env;
  const action = env['RENDERLINE_ACTION_REPOSITORY'];
  const ref = action ? version && `v${version}` : commit;
  return server && ref && (action || own) ? `${server}/${action || own}/blob/${ref}` : null;
}

/** Text with its links, and the pages that it links to. */
export function published(text, root) {
  const pages = new Set();
  const linked = text.replaceAll(ofPackage, (link, page) => {
    pages.add(page);
    return root === null ? link : `${root}/${page}`;
  });
  return { text: linked, pages: [...pages] };
}

/** A line of links for the summary, where text stands in a fence, which has none. */
export function codeLinks(pages, root) {
  if (root === null || pages.length === 0) return '';
  const links = pages.slice(0, mostCodes).map((page) => {
    const [, code = ''] = page.split('#');
    return `[${code.toUpperCase().replaceAll('_', '\\_')}](${root}/${page})`;
  });
  return `\n\nWhat these codes mean: ${links.join(', ')}`;
}
