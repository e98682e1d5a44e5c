/** Number of characters of a section that are indexed. Large tables of numbers need not be searchable entirely. */
const MOST_TEXT = 3_000;

/** Returns all sections of all pages for assets/search.js: `[{ page, heading, url, text }]`. */
export function searchIndex(results) {
  return results
    .filter(({ url, content }) => url && content?.includes('<article'))
    .flatMap(({ content }) => sectionsOf(content));
}

function sectionsOf(html) {
  const [, path] = /<article[^>]* data-address="([^"]+)"/.exec(html) ?? [];
  if (path === undefined) return [];
  const article = /<article[^>]*>(.*?)<\/article>/s.exec(html)[1];
  const [intro, ...sections] = article.split(/(?=<h[23] id=)/);
  const page = plain(/<h1[^>]*>(.*?)<\/h1>/s.exec(intro)?.[1] ?? '');
  const first = { page, heading: '', url: path, text: plain(intro).slice(0, MOST_TEXT) };
  return [
    first,
    ...sections.map((section) => {
      const [, id, heading] = /^<h[23] id="([^"]+)">(.*?)<\/h[23]>/s.exec(section);
      const text = plain(section.slice(section.indexOf('</h'))).slice(0, MOST_TEXT);
      return { page, heading: plain(heading), url: `${path}#${id}`, text };
    }),
  ];
}

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

function plain(html) {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (entity) => ENTITIES[entity])
    .replaceAll(/\s+/g, ' ')
    .trim();
}
