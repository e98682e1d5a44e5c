// Stands in for `docker` in the commands of deploy/README.md. It runs Phonebooth's commands without a container, and
// ignores commands that build or start containers. An unknown command fails.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { withoutContainer } from './containers.ts';
import { ROOT } from './deployment.ts';

const NOTHING_TO_DO = [
  'build -f Dockerfile -t phonebooth ..',
  'compose up --detach --wait postgres',
  'compose up --detach --wait',
  'compose kill --signal HUP nats',
];
const RUN = 'compose run --rm --no-deps -T api ';
const COMMAND_DEADLINE_MS = 60_000;

const command = process.argv.slice(2).join(' ');
if (command.startsWith(RUN)) {
  const servers = { postgresPort: Number(process.env.POSTGRES_PORT), natsPort: 0 };
  const program = join(ROOT, 'bin/phonebooth.mjs');
  const { status } = spawnSync(
    process.execPath,
    [program, ...process.argv.slice(2 + RUN.split(' ').length - 1)],
    {
      env: withoutContainer(process.cwd(), 'api', servers),
      stdio: 'inherit',
      timeout: COMMAND_DEADLINE_MS,
    },
  );
  process.exitCode = status ?? 1;
} else if (!NOTHING_TO_DO.includes(command)) {
  process.stderr.write(`docker-child: the README has a command that it does not know: docker ${command}\n`);
  process.exitCode = 1;
}
