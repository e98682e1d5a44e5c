// Looks through all pages in the browser: an index that the build made is fetched when the field is first used.
const MOST_RESULTS = 8;
const EXCERPT = 110;

const place = document.getElementById('search');
const field = element('input', {
  type: 'search',
  id: 'search-field',
  placeholder: 'Search',
  autocomplete: 'off',
});
const status = element('p', { className: 'search-status', role: 'status' });
const list = element('ul', { className: 'search-results', hidden: true });
let index = null;
let latest = 0;

place.append(
  element('label', { htmlFor: field.id, className: 'hidden', textContent: 'Search the documentation' }),
  field,
  status,
  list,
);
place.hidden = false;

field.addEventListener('input', search);
field.addEventListener('focus', search);
place.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    field.value = '';
    show([], '');
    field.focus();
  }
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event);
});
place.addEventListener('focusout', ({ relatedTarget }) => {
  if (!place.contains(relatedTarget)) show([], '');
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  field.focus();
});

async function search() {
  const words = wordsOf(field.value);
  const mine = ++latest;
  try {
    index ??= load();
    const sections = await index;
    if (mine !== latest) return;
    if (words.length === 0) return show([], '');
    const found = sections
      .map((section) => ({ section, score: scoreOf(section, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST_RESULTS);
    show(
      found.map(({ section }) => section),
      words[0],
      found.length === 0 ? 'Nothing found.' : '',
    );
  } catch {
    index = null;
    show([], '', 'The search cannot be loaded now.');
  }
}

async function load() {
  const response = await fetch(place.dataset.index);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const sections = await response.json();
  return sections.map((section) => ({
    ...section,
    inPage: section.page.toLowerCase(),
    inHeading: section.heading.toLowerCase(),
    inText: section.text.toLowerCase(),
  }));
}

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Every word has to be there somewhere; a heading counts more than a text. */
function scoreOf({ inPage, inHeading, inText }, words) {
  let score = 0;
  for (const word of words) {
    const own = (inHeading.includes(word) && 8) + (inPage.includes(word) && 4) + (inText.includes(word) && 1);
    if (own === 0) return 0;
    score += own;
  }
  return score;
}

function show(sections, word, message = '') {
  list.replaceChildren(...sections.map((section) => resultOf(section, word)));
  list.hidden = sections.length === 0;
  status.textContent = message;
}

function resultOf({ page, heading, url, text, inText }, word) {
  const link = element('a', { href: url });
  link.append(
    element('strong', { textContent: heading || page }),
    element('span', { className: 'soft', textContent: heading ? page : '' }),
    element('span', { textContent: excerptOf(text, inText.indexOf(word)) }),
  );
  const item = element('li', {});
  item.append(link);
  return item;
}

/** Whole words around a place of a text. */
function excerptOf(text, at) {
  const start = Math.max(0, at - 40);
  const cut = text.slice(start, start + EXCERPT);
  const head = start > 0 ? cut.replace(/^\S*\s/, '… ') : cut;
  return start + EXCERPT < text.length ? head.replace(/\s\S*$/, ' …') : head;
}

function move(event) {
  const stops = [field, ...list.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  const step = event.key === 'ArrowDown' ? 1 : -1;
  stops[(at + step + stops.length) % stops.length].focus();
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
