import { openAsBlob } from 'node:fs';
import { Type } from 'typebox';
import { counted, ToolError } from '../error-messages.ts';
import type { FileFolder } from '../file-folder.ts';
import { screenshotOf, sizeOf } from '../picture.ts';
import { BORROWS, fields, type Tool, tool, whichPhone } from '../tool.ts';

/** An upload has no total time limit, but a model waits for it at most this long. */
const UPLOAD_MS = 30 * 60_000;
const MAX_PATH = 1_000;
const MEGABYTE = 1_000_000;

/**
 * The tools that read and write files on the agent's machine. They exist only over standard input and output: over HTTP
 * the server runs on another machine.
 */
export function fileTools(files: FileFolder): Tool[] {
  return [saveScreenshot(files), uploadApp(files)];
}

const saveScreenshot = (files: FileFolder) =>
  tool({
    name: 'save_screenshot',
    title: 'Save a screenshot to a file',
    description:
      'Saves a screenshot in its full size to a new PNG file on this machine, for example for a bug report. To see the screen, call look.',
    input: fields({
      ...whichPhone,
      path: Type.String({
        minLength: 1,
        maxLength: MAX_PATH,
        description: 'Path of the new file, ending in .png, inside the folder that the user allowed',
      }),
    }),
    effect: BORROWS,
    run: async ({ phone: name, path }, { phones, signal }) => {
      if (!/\.png$/i.test(path)) throw new ToolError('`path` must end in .png.');
      const { session, title } = phones.pick(name);
      const png = await screenshotOf(phones, session.id, { maxSide: undefined, signal });
      const { width, height } = sizeOf(png);
      return `Saved the screen of ${title} to ${await files.write(path, png)}, ${width}x${height} px.`;
    },
  });

const uploadApp = (files: FileFolder) =>
  tool({
    name: 'upload_app',
    title: 'Upload an app',
    description:
      'Uploads an .apk, .apks or .xapk file of this machine to the account, and returns its app id. Next, call install_app.',
    input: fields({
      path: Type.String({
        minLength: 1,
        maxLength: MAX_PATH,
        description: 'Path of the file, inside the folder that the user allowed',
      }),
    }),
    effect: BORROWS,
    deadlineMs: () => UPLOAD_MS,
    run: async ({ path }, { phones, signal, reportProgress }) => {
      if (!/\.(apk|apks|xapk)$/i.test(path)) throw new ToolError('`path` must end in .apk, .apks or .xapk.');
      const source = await openAsBlob(await files.pathToRead(path));
      const {
        id,
        name,
        package: packageName,
        version,
      } = await phones.service.api.uploadApp(source, {
        signal,
        onProgress: ({ sent, total }) =>
          reportProgress(
            `${Math.floor(sent / MEGABYTE)} of ${counted(Math.ceil((total ?? sent) / MEGABYTE), 'megabyte')}`,
          ),
      });
      return `Uploaded ${name} ${version} (${packageName}). Its app id is ${id}.`;
    },
  });
