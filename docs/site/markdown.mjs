import { posix } from 'node:path';
import { addressOf, repositoryPath } from './addresses.mjs';

/** Paths that the service serves besides the pages. Inline code with such a path becomes a link. */
const SERVED = ['/docs/api/', '/openapi.json', '/asyncapi.json'];

/** Inline code of up to this many characters does not wrap in a table. */
const LONGEST_UNBROKEN = 34;

const isElsewhere = (href) => /^([a-z][\w+.-]*:|\/|#)/i.test(href);
const escapeHtml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Extends markdown-it for these pages: anchors, links between files, and scrolling for wide content. */
export function furnish(library, prefix) {
  library.core.ruler.push('anchors', anchorHeadings);
  library.core.ruler.push('links', (state) => rewriteLinks(state, prefix));
  const { rules } = library.renderer;
  rules.table_open = () =>
    '<div class="wide" tabindex="0" role="group" aria-label="Table, scrolls horizontally"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.fence = (tokens, at) => {
    const { content, info } = tokens[at];
    const language = info.trim().split(/\s+/)[0];
    const label = language ? ` data-language="${escapeHtml(language)}"` : '';
    return `<div class="code"${label}><pre tabindex="0"><code>${library.utils.escapeHtml(content)}</code></pre></div>\n`;
  };
  rules.code_inline = (tokens, at) => {
    const { content } = tokens[at];
    const short = content.length <= LONGEST_UNBROKEN ? ' class="short"' : '';
    const code = `<code${short}>${library.utils.escapeHtml(content)}</code>`;
    return SERVED.includes(content) ? `<a href="${content}">${code}</a>` : code;
  };
  // Omits an empty table header.
  rules.th_open = (tokens, at) => (tokens[at + 1].content === '' ? '<td>' : '<th scope="col">');
  rules.th_close = (tokens, at) => (tokens[at - 1].content === '' ? '</td>' : '</th>');
}

/** Returns the id that GitHub assigns to a heading, so that links work on both sites. */
function slugOf(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function anchorHeadings({ tokens, Token }) {
  const taken = new Map();
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const inline = tokens[at + 1];
    const slug = slugOf(textOf(inline));
    const repeats = taken.get(slug) ?? 0;
    taken.set(slug, repeats + 1);
    const id = repeats === 0 ? slug : `${slug}-${repeats}`;
    token.attrSet('id', id);
    if (token.tag === 'h1' || inline.children.some(({ type }) => type === 'link_open')) continue;
    const open = new Token('link_open', 'a', 1);
    open.attrs = [
      ['href', `#${id}`],
      ['class', 'anchor'],
    ];
    inline.children = [open, ...inline.children, new Token('link_close', 'a', -1)];
  }
}

const textOf = (inline) =>
  inline.children
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');

function rewriteLinks({ tokens, env, Token }, prefix) {
  const folder = posix.dirname(repositoryPath(env));
  for (const { children } of tokens) {
    const left = [];
    for (const [at, token] of (children ?? []).entries()) {
      if (token.type === 'image') token.attrSet('src', imageAddress(token.attrGet('src'), folder, prefix));
      if (token.type === 'link_open' && !isElsewhere(token.attrGet('href'))) {
        const path = place(token, folder, prefix);
        if (path !== null) {
          children[at] = htmlToken(
            Token,
            `<span class="file" title="${escapeHtml(path)}, in the repository">`,
          );
          left.push('file');
        } else left.push('link');
      } else if (token.type === 'link_open') left.push('link');
      else if (token.type === 'link_close' && left.pop() === 'file')
        children[at] = htmlToken(Token, '</span>');
    }
  }
}

/** Rewrites a link to a file to its page on the site, or to the file's path if the file is not on the site. */
function place(token, folder, prefix) {
  const [path, fragment] = token.attrGet('href').split('#');
  const file = posix.join(folder, path);
  const address = addressOf(file);
  if (address === null) return file;
  token.attrSet('href', `${prefix}${address}${fragment === undefined ? '' : `#${fragment}`}`);
  return null;
}

function imageAddress(src, folder, prefix) {
  return isElsewhere(src) ? src : `${prefix}${posix.join(folder, src).replace(/^docs\//, '')}`;
}

function htmlToken(Token, content) {
  const token = new Token('html_inline', '', 0);
  token.content = content;
  return token;
}

/** Returns the second-level headings of a page for its table of contents: `{ id, text }`. */
export function headingsOf(html) {
  return [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/gs)].map(([, id, text]) => {
    return { id, text: text.replaceAll(/<[^>]+>/g, '') };
  });
}
