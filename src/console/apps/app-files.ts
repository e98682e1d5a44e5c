const EXTENSIONS = ['.apk', '.apks', '.xapk'] as const;

/** File types of apps for the browser's file dialog. */
export const APP_FILES = `${EXTENSIONS.join()},application/vnd.android.package-archive`;

/** The first bytes of a ZIP file, which every app is (APPNOTE.TXT, section 4.3.7). */
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/**
 * Whether a file may be an app, by its name and its first bytes, so that another file is rejected before it is uploaded.
 * The service checks the rest.
 */
export async function mayBeApp(file: Pick<File, 'name' | 'slice'>): Promise<boolean> {
  const name = file.name.toLowerCase();
  if (!EXTENSIONS.some((extension) => name.endsWith(extension))) return false;
  try {
    const start = new Uint8Array(await file.slice(0, ZIP.length).arrayBuffer());
    return start.length === ZIP.length && ZIP.every((byte, at) => start[at] === byte);
  } catch {
    // A folder can be dropped too, and cannot be read.
    return false;
  }
}
