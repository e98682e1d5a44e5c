import { Type } from 'typebox';
import { ENDS, fields, LOOKS, tool, whichPhone } from '../tool.ts';

const path = (description: string) => Type.String({ minLength: 1, maxLength: 1_000, description });

const listFiles = tool({
  name: 'list_files',
  title: 'List files on a phone',
  description: 'Lists a folder in the shared storage of a phone, with sizes in bytes.',
  input: fields({
    ...whichPhone,
    folder: Type.Optional(path('Path of the folder, such as /sdcard/Download; /sdcard by default')),
  }),
  effect: LOOKS,
  run: async ({ phone: name, folder }, { phones, signal }) => {
    const { session } = phones.pick(name);
    const { path: shown, items, has_more } = await phones.service.api.listFiles(session.id, folder, signal);
    if (items.length === 0) return `${shown} is empty.`;
    const lines = items.map((item) =>
      item.kind === 'folder' ? `${item.name}/` : `${item.name} (${item.size})`,
    );
    return [`${shown}:`, ...lines, ...(has_more ? ['(more are not shown)'] : [])].join('\n');
  },
});

const deleteFile = tool({
  name: 'delete_file',
  title: 'Delete a file on a phone',
  description: 'Deletes a file, or an empty folder, in the shared storage of a phone.',
  input: fields({ ...whichPhone, path: path('Path on the phone, such as /sdcard/Download/photo.jpg') }),
  effect: ENDS,
  run: async ({ phone: name, path: target }, { phones, signal }) => {
    const { session } = phones.pick(name);
    await phones.service.api.deleteFile(session.id, target, signal);
    return `Deleted ${target}.`;
  },
});

export const PHONE_FILE_TOOLS = [listFiles, deleteFile];
