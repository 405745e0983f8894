// What of the repository is on the site.

export const rootPages = [
  'README.md',
  'CHANGELOG.md',
  'UPGRADING.md',
  'CONTRIBUTING.md',
  'STYLE_GUIDE.md',
  'TESTING.md',
  'SECURITY.md',
];
/** Folders with pages. */
export const folders = ['docs', 'bench', 'workflows'];
/** What pages link to or show beside other pages. */
export const served = [
  'pipelines',
  'examples',
  'deploy',
  'bench',
  'docs/images',
  'docs/start-runs.openapi.json',
  'LICENSE',
  'NOTICE',
  'llms.txt',
];
