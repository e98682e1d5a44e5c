/** `/docs/api/` is the reference that is generated of the API's schemas. */
const OTHERWISE = { 'docs/README.md': '', 'docs/api.md': 'http-api/' };

/** Where a file of the repository is on the site, relative to its front page; null when it is not there. */
export function addressOf(path) {
  if (path in OTHERWISE) return OTHERWISE[path];
  const [, name] = /^(?:docs\/)?((?:decisions\/)?[\w.-]+)\.md$/.exec(path) ?? [];
  const isOnSite = path.startsWith('docs/') || path === 'ARCHITECTURE.md' || path === 'CHANGELOG.md';
  return isOnSite && name !== undefined ? `${name.toLowerCase()}/` : null;
}

/** The path in the repository of the file that a page is made of. */
export const repositoryPath = ({ source, page }) => source ?? page.inputPath.replace(/^\.\//, '');
