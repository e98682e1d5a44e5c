/** Returns a latitude or longitude in degrees, or null if the text is not a number from -`most` to `most`. */
export function parseCoordinate(text: string, most: number): number | null {
  if (!/^\s*[+-]?\d{1,3}(?:\.\d{0,12})?\s*$/.test(text)) return null;
  const value = Number(text);
  return Math.abs(value) <= most ? value : null;
}

/** Returns both coordinates of a text such as `52.52, 13.405`, which maps copy, or null for any other text. */
export function parseCoordinates(text: string): [lat: string, lng: string] | null {
  const [, lat, lng] =
    /^\s*([+-]?\d{1,3}(?:\.\d{1,12})?)\s*[,;]\s*([+-]?\d{1,3}(?:\.\d{1,12})?)\s*$/.exec(text) ?? [];
  return lat !== undefined && lng !== undefined ? [lat, lng] : null;
}
