import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '../..');
export const DEPLOY = join(ROOT, 'deploy');

type Environment = Record<string, string>;

export interface ComposeService {
  image: string;
  command?: string[];
  env_file?: string;
  environment?: Environment;
  secrets?: string[];
  ports?: string[];
}

export interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
}

/** Reads the compose file in this folder, with its anchors merged. */
export const readCompose = (folder: string): Compose =>
  parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), { merge: true });

/** Environment of a service's container: the image's settings, the env file, and the compose file's settings. */
export function serviceEnvironment(folder: string, name: string): Environment {
  const { services, secrets } = readCompose(folder);
  const service = services[name];
  if (!service) throw new Error(`compose.yaml has no service ${name}`);
  const mounted = new Map((service.secrets ?? []).map((id) => [`/run/secrets/${id}`, secrets[id]!.file]));
  const written = Object.entries(service.environment ?? {}).map(([variable, value]) => {
    const text = value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
    const file = mounted.get(text);
    if (text.startsWith('/run/secrets/') && !file) throw new Error(`${name} does not receive ${text}`);
    return [variable, file ? join(folder, file) : text];
  });
  const fromFile = service.env_file ? readEnvironmentFile(join(folder, service.env_file)) : {};
  return { ...imageEnvironment(folder), ...fromFile, ...Object.fromEntries(written) };
}

/** Parses `NAME=value` lines as Compose and systemd do. */
export function readEnvironmentFile(file: string): Environment {
  const lines = readFileSync(file, 'utf8').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return name ? [[name, value!]] : [];
    }),
  );
}

/** Reads the `ENV` instructions of the Dockerfile's last stage, which can span several lines. */
function imageEnvironment(folder: string): Environment {
  const text = readFileSync(join(folder, 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1)!;
  const [, instruction] = /^ENV ((?:.*\\\n)*.*)$/m.exec(text) ?? [];
  if (!instruction) throw new Error('the last stage of the Dockerfile contains no ENV');
  const variables = [...instruction.matchAll(/(\w+)=(\S+)/g)];
  return Object.fromEntries(variables.map(([, name, value]) => [name, value]));
}

/** Concatenates the `sh` blocks of a section of a Markdown file. */
export function commandsUnder(file: string, heading: string): string {
  const section = readFileSync(file, 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`));
  if (!section) throw new Error(`${file} contains no section ${heading}`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('');
}
