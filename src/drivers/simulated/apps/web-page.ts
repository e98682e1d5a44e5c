/**
 * The page that the simulated browser shows for an address. Nothing is fetched: the page is generated from the
 * address alone.
 */
export interface WebPage {
  readonly url: string;
  /** The host name, or a replacement for it. */
  readonly site: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly links: readonly { readonly label: string; readonly url: string }[];
  /** In degrees. Each site has its own colour. */
  readonly hue: number;
}

const SECTIONS = ['About', 'News', 'Products', 'Help', 'Contact', 'Careers'];
const SEARCH = 'https://search.example/?q=';

export const START_URL = 'about:start';

/** Converts typed text to an address. Text that does not look like an address becomes a search. */
export function addressOf(typed: string): string {
  const text = typed.trim();
  if (/^[a-z][a-z0-9+.-]*:\S*$/i.test(text) && URL.canParse(text)) return text;
  if (/^[^\s/]+\.[^\s/.]{2,}(\/\S*)?$/.test(text) && URL.canParse(`https://${text}`))
    return `https://${text}`;
  return SEARCH + encodeURIComponent(text);
}

export function pageFor(url: string): WebPage {
  if (url === START_URL) return startPage();
  if (!URL.canParse(url)) return { ...errorPage(url), title: 'This address cannot be read' };
  const parsed = new URL(url);
  if (url.startsWith(SEARCH)) return searchPage(parsed);
  if (!/^https?:$/.test(parsed.protocol)) return errorPage(url);
  return sitePage(parsed);
}

function startPage(): WebPage {
  const links = ['example.com', 'example.org', 'phonebooth.example', 'weather.example'];
  return {
    url: START_URL,
    site: 'Start',
    title: 'Where to?',
    paragraphs: ['Type an address or something to search for, or choose one of these.'],
    links: links.map((site) => ({ label: site, url: `https://${site}/` })),
    hue: 220,
  };
}

function searchPage(url: URL): WebPage {
  const query = url.searchParams.get('q') ?? '';
  const slug = query.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-') || 'nothing';
  return {
    url: url.href,
    site: 'Search',
    title: query,
    paragraphs: [`${3 + (hash(query) % 6)} results for “${query}”`],
    links: ['example.com', 'example.org', 'encyclopedia.example', 'forum.example'].map((site) => ({
      label: `${query} – ${site}`,
      url: `https://${site}/${encodeURIComponent(slug)}`,
    })),
    hue: hash(query) % 360,
  };
}

function sitePage(url: URL): WebPage {
  const path = decoded(url.pathname).split('/').filter(Boolean);
  const name = titleCase(url.hostname.replace(/^www\./, '').split('.')[0] ?? url.hostname);
  const title = path.length > 0 ? titleCase(path.at(-1) ?? '') : `Welcome to ${name}`;
  return {
    url: url.href,
    site: url.hostname,
    title,
    paragraphs: [
      `You are reading ${decoded(url.pathname)} on ${url.hostname}.`,
      'This page was drawn by a simulated phone. It has no connection to the internet: every site looks much like this one, but each has its own colour.',
      ...(url.search
        ? [`The address carries ${url.searchParams.size} parameters: ${decoded(url.search.slice(1))}`]
        : []),
      'Links work, the page scrolls with a flick, and going back takes you where you were.',
    ],
    links: [
      ...SECTIONS.map((label) => ({ label, url: new URL(`/${label.toLowerCase()}`, url).href })),
      { label: 'Home', url: new URL('/', url).href },
    ],
    hue: hash(url.hostname) % 360,
  };
}

function errorPage(url: string): WebPage {
  return {
    url,
    site: 'No page',
    title: 'Nothing here can open this',
    paragraphs: [`No app on this phone handles ${url}`],
    links: [{ label: 'Back to the start page', url: START_URL }],
    hue: 0,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function titleCase(slug: string): string {
  const words = slug
    .replaceAll(/[-_]+/g, ' ')
    .replace(/\.\w+$/, '')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}
