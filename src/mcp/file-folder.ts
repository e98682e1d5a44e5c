import { open, realpath, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { ToolError } from './error-messages.ts';

/**
 * The folder on the agent's machine in which tools may read and write files. A model may follow an instruction that it
 * read on the screen of a phone, so no tool accesses a file elsewhere, follows a link out of it or overwrites a file.
 */
export class FileFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** Returns the path of a file to read. @throws ToolError when it does not exist or is outside */
  async pathToRead(path: string): Promise<string> {
    const file = resolve(await this.#root(), path);
    const real = await realpath(file).catch((error: unknown) => {
      throw new ToolError(`Cannot read ${JSON.stringify(path)}: ${reasonOf(error)}.`);
    });
    await this.#mustContain(real, path);
    return real;
  }

  /**
   * Writes a new file and returns its path. If the content fails, the file is removed.
   * @throws ToolError when it exists, cannot be written or is outside; the error of the content
   */
  async write(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
    const given = resolve(await this.#root(), path);
    const folder = await realpath(dirname(given)).catch((error: unknown) => {
      throw new ToolError(`Cannot write ${JSON.stringify(path)}: ${reasonOf(error)}.`);
    });
    const file = join(folder, basename(given));
    await this.#mustContain(file, path);
    // `wx` fails if the file exists, also as a link.
    const handle = await open(file, 'wx').catch((error: unknown) => {
      throw new ToolError(`Cannot write ${JSON.stringify(path)}: ${reasonOf(error)}.`);
    });
    try {
      await handle.writeFile(content).finally(() => handle.close());
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    return file;
  }

  async #root(): Promise<string> {
    // Some clients start the command in the root folder, which is not a deliberate choice of all files.
    if (parse(this.#folder).root === this.#folder)
      throw new ToolError(
        'No folder for files is set. Tell the user to add --files with a folder to the command `phonebooth mcp`.',
      );
    return realpath(this.#folder).catch((error: unknown) => {
      throw new ToolError(`Cannot open the folder ${this.#folder}: ${reasonOf(error)}.`);
    });
  }

  async #mustContain(file: string, path: string): Promise<void> {
    const inner = relative(await this.#root(), file);
    if (inner !== '' && inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner)) return;
    throw new ToolError(
      `${JSON.stringify(path)} is outside ${this.#folder}. Use a path inside it, or tell the user that the option --files of \`phonebooth mcp\` selects the folder.`,
    );
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'it does not exist',
  EEXIST: 'it exists already; choose another name',
  EACCES: 'permission was denied',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
};

const reasonOf = (error: unknown): string => {
  const { code = '' } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? (code || 'it cannot be accessed');
};
