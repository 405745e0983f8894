// The parts of the repository that are on the site.

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
/** Files that pages link to or show, in addition to other pages. */
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
