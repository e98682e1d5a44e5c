/** `/docs/api/` is the reference that is generated from the API's schemas. */
const OTHERWISE = {
  'docs/README.md': '',
  'docs/api.md': 'http-api/',
  'examples/README.md': 'examples/',
  'deploy/README.md': 'deploy/',
  'deploy/systemd/README.md': 'deploy/systemd/',
  'deploy/helm/phonebooth/README.md': 'deploy/helm/',
  'deploy/proxy/README.md': 'deploy/proxy/',
};

/** Returns the path of a repository file on the site, relative to the front page, or null if it is not on the site. */
export function addressOf(path) {
  if (path in OTHERWISE) return OTHERWISE[path];
  const [, name] = /^(?:docs\/)?((?:decisions\/)?[\w.-]+)\.md$/.exec(path) ?? [];
  const isOnSite = path.startsWith('docs/') || path === 'ARCHITECTURE.md' || path === 'CHANGELOG.md';
  return isOnSite && name !== undefined ? `${name.toLowerCase()}/` : null;
}

/** Returns the repository path of the file that a page is generated from. */
export const repositoryPath = ({ source, page }) => source ?? page.inputPath.replace(/^\.\//, '');
