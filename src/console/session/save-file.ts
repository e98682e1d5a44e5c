/** How long the browser may take to begin to copy a file that was handed to its downloads. */
const HELD_MS = 60_000;

/** A name for a file of a phone at this moment, in the machine's own time: `Pixel-8-2026-01-31-14-05-09.png`. */
export function fileNameNow(name: string, extension: string, now = new Date()): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  const time = local.toISOString().slice(0, 19).replaceAll(/[:T]/g, '-');
  return `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${time}${extension}`;
}

/** Puts a file among the browser's downloads. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), HELD_MS);
}
