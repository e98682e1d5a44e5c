// Declares which folder may import which, and which folders may import each third-party package. Each row becomes one
// rule. scripts/check-imports.mjs runs the rules and verifies that each of them can fail.

const SERVICE = ['contract', 'domain', 'store', 'bus', 'link', 'access', 'util'];
const GATEWAY = [...SERVICE, 'media', 'gateway', 'control-plane'];
const ROLES = ['api', 'stream-gateway', 'control-gateway', 'agent'];

/** The folders that each folder of `src` may import besides itself. */
export const MAY_IMPORT = {
  util: [],
  contract: [],
  domain: ['contract'],
  store: ['contract', 'domain', 'util'],
  bus: ['contract', 'util'],
  link: ['contract', 'util'],
  media: ['contract', 'util'],
  access: ['contract', 'util'],
  drivers: ['contract', 'media', 'util'],
  'control-plane': SERVICE,
  api: [...SERVICE, 'control-plane', 'webdriver'],
  gateway: [...SERVICE, 'control-plane'],
  'stream-gateway': GATEWAY,
  'control-gateway': GATEWAY,
  agent: ['contract', 'domain', 'bus', 'link', 'media', 'drivers', 'util'],
  operator: ['contract', 'domain', 'store', 'bus', 'access', 'control-plane', 'util'],
  server: [...GATEWAY, ...ROLES, 'drivers', 'operator', 'mcp', 'client'],
  client: ['contract'],
  mcp: ['contract', 'client', 'util'],
  webdriver: ['contract', 'util'],
  console: ['contract', 'client'],
  cli: ['contract', 'client', 'mcp', 'operator', 'server', 'util'],
};

/** Folders that must not import Node modules: they also run in browsers, or contain rules without I/O. */
export const WITHOUT_NODE = ['contract', 'domain', 'client', 'console'];

/** The folders of `src` that may import each package (or every package of a scope). All other packages are forbidden. */
export const HOMES = {
  '@devicefarmer': ['control-plane'],
  '@fastify': ['api', 'server'],
  '@fontsource': ['console', 'drivers/simulated'],
  '@fontsource-variable': ['drivers/simulated'],
  '@modelcontextprotocol': ['mcp'],
  '@napi-rs/canvas': ['drivers/simulated', 'control-plane'],
  '@nats-io': ['bus'],
  '@opentelemetry': ['server'],
  '@peculiar': ['server'],
  '@tanstack': ['console'],
  '@xmldom': ['webdriver'],
  '@yume-chan': ['console'],
  aws4fetch: ['control-plane'],
  'better-sqlite3': ['store'],
  commander: ['cli'],
  cookie: ['api'],
  fastify: ['api', 'server'],
  'ipaddr.js': ['util'],
  jose: ['api'],
  'lucide-react': ['console'],
  mediabunny: ['client', 'console'],
  'openid-client': ['api'],
  pg: ['store'],
  pino: ['server', 'cli', 'util'],
  'prom-client': ['server'],
  '@radix-ui': ['console'],
  react: ['console'],
  'react-dom': ['console'],
  recharts: ['console'],
  'reflect-metadata': ['server'],
  tailwindcss: ['console'],
  typebox: ['contract', 'api', 'bus', 'link', 'gateway', 'stream-gateway', 'control-gateway', 'mcp'],
  yauzl: ['control-plane'],
  xpath: ['webdriver'],
  ws: ['link', 'gateway', 'stream-gateway', 'control-gateway', 'client', 'server', 'cli'],
};

const TEST = '[.]test[.]tsx?$';
const under = (folders) => `^src/(${folders.join('|')})/`;
/** Type imports of a package without bundled types are resolved to those of DefinitelyTyped. */
const packagePath = (names) => `^node_modules/(@types/)?(${names.join('|')})/`;
const error = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const folderRules = Object.entries(MAY_IMPORT).map(([folder, allowed]) =>
  error(
    `folder-${folder}`,
    `src/${folder} may import ${allowed.join(', ') || 'no other folder'}`,
    { path: `^src/${folder}/` },
    { path: '^src/', pathNot: under([folder, ...allowed]) },
  ),
);

const homeRules = Object.entries(HOMES).map(([name, folders]) =>
  error(
    `home-${name}`,
    `only src/${folders.join(', src/')} may import ${name}`,
    { path: '^src/', pathNot: [under(folders), TEST] },
    { path: packagePath([name]) },
  ),
);

const generalRules = [
  error('no-cycle', 'modules must not have import cycles, including type imports', {}, { circular: true }),
  error(
    'no-homeless-package',
    'a third-party package needs a row in the table',
    { path: '^src/', pathNot: TEST },
    { path: '^node_modules/', pathNot: packagePath(Object.keys(HOMES)) },
  ),
  error(
    'no-node-here',
    'this folder must not import Node modules',
    { path: under(WITHOUT_NODE), pathNot: TEST },
    { dependencyTypes: ['core'] },
  ),
  error(
    'no-tests-in-sources',
    'sources must not import tests, benchmarks or scripts',
    { path: '^src/', pathNot: TEST },
    { path: `^(test|bench|scripts|examples)/|${TEST}` },
  ),
  error(
    'no-unknown-folder',
    'a folder of src needs a row in the table',
    {},
    {
      path: '^src/',
      pathNot: under(Object.keys(MAY_IMPORT)),
    },
  ),
  error('no-unresolvable', 'the import cannot be resolved', {}, { couldNotResolve: true }),
];

export default {
  forbidden: [...folderRules, ...homeRules, ...generalRules],
  options: {
    doNotFollow: { path: '^node_modules/' },
    preserveSymlinks: true,
    // Includes type imports. swc parses them, because TypeScript 7 does not expose a parser to tools.
    tsPreCompilationDeps: true,
    parser: 'swc',
    // Without these two, packages that only have `exports` are not resolved, and their rules never apply.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'browser', 'default', 'require', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts', '.css'],
    },
  },
};
