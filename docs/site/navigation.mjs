/** Sections in the order of the menu. Other sections follow, before the decisions. */
const SECTIONS = ['', 'Start', 'Use', 'Operate', 'Deploy', 'Background'];
const LAST = 'Decisions';

/** Sorts pages in reading order. */
export function inOrder(pages) {
  const names = [...new Set([...SECTIONS, ...pages.map(({ data }) => data.part).sort()])];
  const sections = [...names.filter((name) => name !== LAST), LAST];
  const place = ({ data }) => sections.indexOf(data.part);
  return pages.toSorted(
    (a, b) =>
      place(a) - place(b) || a.data.place - b.data.place || a.data.name.localeCompare(b.data.name, 'en'),
  );
}

/** Groups the pages by section for the menu: `{ name, pages }`. */
export function sectionsOf(pages) {
  return Object.entries(Object.groupBy(pages, ({ data }) => data.part)).map(([name, group]) => {
    return { name, pages: group };
  });
}

/** Returns the previous and the next page. */
export function neighbours(pages, url) {
  const at = pages.findIndex((page) => page.url === url);
  return at < 0 ? {} : { previous: pages[at - 1], next: pages[at + 1] };
}
