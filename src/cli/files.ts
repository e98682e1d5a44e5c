import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { isServiceError } from '../client/service-error.ts';
import { type PhoneFile, SHARED_STORAGE } from '../contract/http/phone-file.ts';
import { readableFile } from './local-file.ts';
import { addJson, addListJson, type ListOptions, printList, printResult, table } from './output.ts';
import { Progress } from './progress.ts';
import { addSession, findSessionId, openService, type RemoteOptions } from './remote.ts';

/** `phonebooth files`: the files in the shared storage of a session's phone. */
export function addFilesCommand(program: Command): void {
  const files = program
    .command('files')
    .description('push files to a phone, pull them from it, and list and delete them');
  const add = (words: string, description: string, withJson = addJson) =>
    addSession(withJson(files.command(words).description(description)));
  add('list [folder]', `list a folder (default ${SHARED_STORAGE})`, addListJson).action(list);
  add('push <file> [path]', `copy a file to the phone (default: to ${SHARED_STORAGE}/Download)`)
    .option('--overwrite', 'replace a file that exists')
    .action(push);
  add('pull <path> [file]', 'copy a file of the phone to this machine; - writes to standard output').action(
    pull,
  );
  add('delete <path>', 'delete a file, or an empty folder, on the phone').action(remove);
}

async function list(folder: string | undefined, options: RemoteOptions & ListOptions): Promise<void> {
  const { api } = await openService(options);
  const { items, has_more } = await api.listFiles(await findSessionId({ api }, options), folder);
  await printList(options, items, { empty: 'The folder is empty.', text: describe });
  if (has_more) process.stderr.write(`Only the first ${items.length} are listed.\n`);
}

function describe(items: PhoneFile[]): string {
  const cells = items.map(({ kind, name, size, modified_at }) => [
    kind,
    size === null ? '-' : String(size),
    modified_at ?? '-',
    name,
  ]);
  return table([['KIND', 'BYTES', 'CHANGED', 'NAME'], ...cells]);
}

async function push(
  file: string,
  path: string | undefined,
  options: RemoteOptions & { overwrite?: boolean },
): Promise<void> {
  const { api } = await openService(options);
  const sessionId = await findSessionId({ api }, options);
  const source = await readableFile(file);
  const progress = new Progress(process.stderr);
  const target = path ?? `${SHARED_STORAGE}/Download`;
  // As with cp, a target that ends in a slash is a folder. Without a target the name is kept.
  const whole = path === undefined || path.endsWith('/') ? `${target}/${basename(file)}` : target;
  const pushed = await api
    .pushFile(sessionId, whole, source, {
      overwrite: options.overwrite ?? false,
      onProgress: ({ sent, total }) => progress.show('Pushing', total ? sent / total : null),
    })
    .catch((error: unknown) => {
      throw isServiceError(error, 'fileExists')
        ? new Error(`${whole} exists already; use --overwrite to replace it`)
        : error;
    });
  progress.done();
  printResult(
    options,
    pushed,
    `${pushed.path} has ${pushed.size} bytes. It is removed when the session has ended.`,
  );
}

async function pull(path: string, file: string | undefined, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const sessionId = await findSessionId({ api }, options);
  const target = file === '-' ? null : await newTarget(basename(path), file);
  await save(await api.pullFile(sessionId, path), target, options);
}

/** Path of the file to create. @throws Error if it exists */
async function newTarget(name: string, file: string | undefined): Promise<string> {
  const isFolder = file !== undefined && (await stat(file).catch(() => null))?.isDirectory();
  const target = file === undefined ? name : isFolder ? join(file, name) : file;
  if (await stat(target).catch(() => null))
    throw new Error(`${target} exists already; choose another name, or delete it`);
  return target;
}

/** Writes a file of the phone to a new file, or to standard output. */
async function save(
  { size, bytes }: { size: number; bytes: ReadableStream<Uint8Array> },
  target: string | null,
  options: RemoteOptions,
): Promise<void> {
  const progress = new Progress(process.stderr);
  let received = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      received += chunk.length;
      progress.show('Pulling', size > 0 ? received / size : null);
      yield chunk;
    }
  };
  if (target === null) return pipeline(Readable.from(counted()), process.stdout, { end: false });
  const partial = `${target}.part`;
  try {
    await pipeline(Readable.from(counted()), createWriteStream(partial, { flags: 'wx' }));
    await rename(partial, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Error(`${partial} exists already: another command writes it, or left it behind; delete it`);
    await rm(partial, { force: true });
    throw error;
  }
  progress.done();
  printResult(options, { file: target, size: received }, `${target} has ${received} bytes.`);
}

async function remove(path: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  await api.deleteFile(await findSessionId({ api }, options), path);
  printResult(options, {}, `${path} was deleted.`);
}
