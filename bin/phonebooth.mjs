#!/usr/bin/env node
// The `phonebooth` command. An older Node can run this file far enough to start the project's own Node, which npm
// installs as a package. The program itself is the bundle that scripts/prepare.mjs builds from src/cli/main.ts.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const OWN_NODE = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url));
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/phonebooth', import.meta.url));
const BUNDLE = new URL('../dist/server/main.mjs', import.meta.url);
const ROOT = fileURLToPath(new URL('..', import.meta.url));

if (!existsSync(PACKAGES)) {
  fail(`its packages are not installed: run \`npm ci\` in ${ROOT}, or \`npm start\``);
} else if (!existsSync(BUNDLE)) {
  fail(`it is not built: run \`node scripts/prepare.mjs\` in ${ROOT}, or \`npm start\``);
} else if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) {
  endWithParent();
  // Compiling the bundle dominates the first start; later ones read the compile cache. Worker threads read the
  // variable too.
  // biome-ignore lint/style/noProcessEnv: no setting of the service; Node reads it in each thread
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
  module.enableCompileCache();
  const { main } = await import(BUNDLE.href);
  await main(process.argv.slice(2));
} else if (existsSync(OWN_NODE)) {
  handOver();
} else {
  fail(
    `it needs Node ${OLDEST_NODE} or newer and this is ${process.version}: install that, or run \`npm ci\` in ${ROOT}`,
  );
}

/**
 * Runs the same command under the project's own Node, as a child process with the same terminal, signals and exit
 * code, because an older Node cannot replace itself with another program. Through the IPC channel the child detects
 * that this process has exited, even after SIGKILL.
 */
function handOver() {
  const child = spawn(OWN_NODE, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C to the child as well. A second SIGINT would make the child stop immediately.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) =>
    fail(`${OWN_NODE} could not be run: ${error.message}; run \`npm ci\` in ${ROOT}`),
  );
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Stops, as on SIGTERM, when the parent process that forked this one exits. It does nothing for a command that was
 * not forked.
 */
function endWithParent() {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

function fail(reason) {
  process.stderr.write(`phonebooth: ${reason}\n`);
  process.exitCode = 1;
}
