/**
 * Reads and writes the few elements of S3's XML that artifacts need. The responses have a fixed form, without comments,
 * CDATA sections or nested elements of the same name.
 */

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export const escapeXml = (text: string): string =>
  text.replaceAll(
    /[&<>"]/g,
    (character) => `&${Object.keys(ENTITIES).find((name) => ENTITIES[name] === character)};`,
  );

/** Returns the contents of all elements with this name. */
export function elementsOf(xml: string, name: string): string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => rest.slice(0, Math.max(0, rest.indexOf(`</${name}>`))));
}

/** Returns the text of the first element with this name; an empty string if there is none. */
export function textOfElement(xml: string, name: string): string {
  const [content = ''] = elementsOf(xml, name);
  return content.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi,
    (whole, decimal, hex, entity) => {
      if (entity) return ENTITIES[entity] ?? whole;
      const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
