/** Time that the browser has to start copying a file to its downloads. */
const HELD_MS = 60_000;

/** Returns a file name for a phone with the current local time: `Pixel-8-2026-01-31-14-05-09.png`. */
export function fileNameNow(name: string, extension: string, now = new Date()): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  const time = local.toISOString().slice(0, 19).replaceAll(/[:T]/g, '-');
  return `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${time}${extension}`;
}

/** Saves a file to the browser's downloads. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), HELD_MS);
}
