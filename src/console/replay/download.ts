import type { Artifact } from '../../contract/http/artifact.ts';

/** A browser ignores some of the downloads that begin at the same time. */
const BETWEEN_MS = 400;

/** The file name of a download, which tells the recordings of several phones apart: `Pixel-8-video-1.mp4`. */
export const fileNameOf = (phone: string, { name }: Pick<Artifact, 'name'>): string =>
  `${phone.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${name}`;

/** Starts the downloads of the files one after the other. The browser saves them itself, however large they are. */
export async function downloadAll(
  phone: string,
  artifacts: readonly Artifact[],
  onProgress: (at: number) => void,
): Promise<void> {
  for (const [index, artifact] of artifacts.entries()) {
    onProgress(index + 1);
    const link = document.createElement('a');
    link.href = artifact.url;
    link.download = fileNameOf(phone, artifact);
    link.click();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  }
}
