#!/usr/bin/env node
// The `phonebooth` command. Plain JavaScript, so that an older Node can read it far enough to hand over to the
// project's own, which npm brings as a package; the sources are TypeScript that only Node 24 and newer runs as it is.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const OWN_NODE = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url));
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/phonebooth', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));

if (!existsSync(PACKAGES)) {
  fail(`its packages are not installed: run \`npm ci\` in ${ROOT}, or \`npm start\``);
} else if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) {
  endWithParent();
  // Loading the sources is most of a start: compiled once, each later start is quicker. Threads read the variable.
  // biome-ignore lint/style/noProcessEnv: no setting of the service; Node reads it in each thread
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
  module.enableCompileCache();
  const { main } = await import('../src/cli/main.ts');
  await main(process.argv.slice(2));
} else if (existsSync(OWN_NODE)) {
  handOver();
} else {
  fail(
    `it needs Node ${OLDEST_NODE} or newer and this is ${process.version}: install that, or run \`npm ci\` in ${ROOT}`,
  );
}

/**
 * Becomes, as far as an older Node can, the same command under the project's own Node: the same terminal, the
 * same signals, the same exit. The channel tells the child when this process is gone, even by SIGKILL.
 */
function handOver() {
  const child = spawn(OWN_NODE, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child as well; twice would mean "at once" to it.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`${OWN_NODE} could not be run: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Stops, as SIGTERM would, when the process that forked this one is gone; does nothing for a command of its own. */
function endWithParent() {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

function fail(reason) {
  process.stderr.write(`phonebooth: ${reason}\n`);
  process.exitCode = 1;
}
