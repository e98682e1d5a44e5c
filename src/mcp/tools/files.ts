import { openAsBlob } from 'node:fs';
import { Type } from 'typebox';
import { counted } from '../../util/counted.ts';
import { ToolError } from '../error-messages.ts';
import type { FileFolder } from '../file-folder.ts';
import { screenshotOf } from '../picture.ts';
import { ACTS, BORROWS, fields, type Tool, tool, whichPhone } from '../tool.ts';
import { saveArtifact } from './recordings.ts';

/** An upload has no total time limit, but a model waits for it at most this long. */
const UPLOAD_MS = 30 * 60_000;
const MAX_PATH = 1_000;
const MEGABYTE = 1_000_000;
/** A pulled file is in memory until it is written. */
const MAX_PULLED = 64 * MEGABYTE;

/**
 * The tools that read and write files on the agent's machine. They exist only over standard input and output: over HTTP
 * the server runs on another machine.
 */
export function fileTools(files: FileFolder): Tool[] {
  return [saveScreenshot, uploadApp, pushFile, pullFile, saveArtifact].map((create) => create(files));
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
      const { png, pixels } = await screenshotOf(phones, session.id, { maxSide: undefined, signal });
      return `Saved the screen of ${title} to ${await files.write(path, png)}, ${pixels}.`;
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

const onPhone = Type.String({
  minLength: 1,
  maxLength: MAX_PATH,
  description: 'Path on the phone, such as /sdcard/Download/photo.jpg',
});

const onMachine = (description: string) => Type.String({ minLength: 1, maxLength: MAX_PATH, description });

const pushFile = (files: FileFolder) =>
  tool({
    name: 'push_file',
    title: 'Copy a file to a phone',
    description:
      'Copies a file of this machine to the shared storage of a phone, for example a picture to its gallery. It does not replace a file, and the copy is deleted when the phone is disconnected.',
    input: fields({
      ...whichPhone,
      path: onMachine('Path of the file, inside the folder that the user allowed'),
      to: onPhone,
    }),
    effect: ACTS,
    deadlineMs: () => UPLOAD_MS,
    run: async ({ phone: name, path, to }, { phones, signal, reportProgress }) => {
      const { session, title } = phones.pick(name);
      const source = await openAsBlob(await files.pathToRead(path));
      const pushed = await phones.service.api.pushFile(session.id, to, source, {
        signal,
        onProgress: ({ sent }) => reportProgress(`${counted(Math.floor(sent / MEGABYTE), 'megabyte')} sent`),
      });
      return `Copied ${counted(pushed.size ?? 0, 'byte')} to ${pushed.path} on ${title}.`;
    },
  });

const pullFile = (files: FileFolder) =>
  tool({
    name: 'pull_file',
    title: 'Copy a file from a phone',
    description:
      'Copies a file from the shared storage of a phone to a new file on this machine, up to 64 MB.',
    input: fields({
      ...whichPhone,
      from: onPhone,
      path: onMachine('Path of the new file, inside the folder that the user allowed'),
    }),
    effect: BORROWS,
    deadlineMs: () => UPLOAD_MS,
    run: async ({ phone: name, from, path }, { phones, signal }) => {
      const { session } = phones.pick(name);
      const { size, bytes } = await phones.service.api.pullFile(session.id, from, signal);
      if (size > MAX_PULLED) {
        await bytes.cancel();
        throw new ToolError(`The file has ${counted(size, 'byte')}; at most ${MAX_PULLED} can be copied.`);
      }
      const content = new Uint8Array(await new Response(bytes).arrayBuffer());
      return `Saved ${counted(content.length, 'byte')} to ${await files.write(path, content)}.`;
    },
  });
