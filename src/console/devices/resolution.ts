export interface Size {
  width: number;
  height: number;
}

/** A common phone's resolution, used if the resolution cannot be parsed. */
const USUAL: Size = { width: 1080, height: 2340 };

/** Parses `<width>x<height>`. */
export function parseResolution(resolution: string | undefined): Size {
  const found = /^(\d+)x(\d+)$/.exec(resolution ?? '');
  const size = { width: Number(found?.[1]), height: Number(found?.[2]) };
  return size.width > 0 && size.height > 0 ? size : USUAL;
}
