import { ATTRIBUTES, type Screen, type ScreenElement } from './screen.ts';

const XML_NAME = /^[A-Za-z_][\w.-]*$/;
/** The characters that XML 1.0 does not permit (section 2.2), and lone surrogates. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** The screen as XML, as UiAutomator2 writes it: an element per view, named after its class. */
export function sourceOf({ elements, size }: Screen): string {
  const parts: string[] = [
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`,
    `<hierarchy index="0" class="hierarchy" rotation="${size.width > size.height ? 1 : 0}" ` +
      `width="${size.width}" height="${size.height}">`,
  ];
  const write = (element: ScreenElement) => {
    const name = tagOf(element);
    const attributes = ATTRIBUTES.map((key) => `${key}="${escaped(element.attributes[key])}"`).join(' ');
    if (element.children.length === 0) {
      parts.push(`<${name} ${attributes} />`);
      return;
    }
    parts.push(`<${name} ${attributes}>`);
    for (const child of element.children) write(child);
    parts.push(`</${name}>`);
  };
  for (const element of elements) if (element.parent === null) write(element);
  parts.push('</hierarchy>');
  return parts.join('\n');
}

/** Inner classes have a dollar sign in their name, which XML does not permit. */
function tagOf({ attributes }: ScreenElement): string {
  const name = attributes.class.replaceAll('$', '.');
  return XML_NAME.test(name) ? name : 'android.view.View';
}

const escaped = (text: string) =>
  text.replaceAll(FORBIDDEN, '').replaceAll(/[&<>"\n\r\t]/g, (character) => ENTITIES[character]!);
