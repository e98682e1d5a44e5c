import { count, minutes } from './count.ts';

/** Texts of the page of phones. */
export const deviceTexts = {
  title: 'Phones',
  count: (total: number, available: number | null) =>
    available === null
      ? count(total, 'phone', 'phones')
      : `${count(total, 'phone', 'phones')}, ${available.toLocaleString('en')} free now`,
  keys: 'Arrow keys move from phone to phone, Home and End to the first and the last.',
  search: 'Search by name',
  brand: 'Brand',
  anyBrand: 'All brands',
  os: 'OS version',
  anyOs: 'All versions',
  osOption: (version: string) => `Version ${version}`,
  status: 'Status',
  anyStatus: 'Free and busy',
  available: 'Available',
  busy: 'Busy',
  yours: (left: string) => `Yours, ${left}`,
  favourites: 'Favourites',
  favourite: (name: string) => `Favourite: ${name}`,
  star: 'Favourite',
  clear: 'Clear filters',
  searchTruncated: (searched: number) =>
    `Only the first ${searched.toLocaleString('en')} phones were searched. Narrow it down by brand or version.`,
  viewLabel: 'Show as',
  views: { grid: 'Show as cards', table: 'Show as a table' },
  name: 'Phone',
  model: 'Model',
  screen: 'Screen',
  action: 'Action',
  screenValue: (inches: string, resolution: string) => `${inches}″ · ${resolution.replace('x', ' × ')}`,
  osValue: (version: string) => `OS ${version}`,
  connect: 'Connect',
  open: 'Return to it',
  watch: 'Watch it',
  wait: 'Wait',
  waitForOneLike: (name: string) => `Wait for a phone like ${name}`,
  noneTitle: 'No phones yet',
  none: 'Plug one in with USB debugging on, or start with simulated phones. It appears here by itself.',
  noMatchTitle: 'No phone matches',
  noMatch: 'Try other filters, or clear them to see every phone.',
  noFavouritesTitle: 'No favourites here',
  noFavourites:
    'Star the phones that you use most; they come first then. Favourites are kept on this computer.',
};

/** Texts about requesting any phone that matches, and about waiting for it. */
export const waitingTexts = {
  ask: 'Any phone',
  title: 'Any phone that will do',
  titleLike: (name: string) => `Any phone like ${name}`,
  explain:
    'You get the first that is free. If none is, you wait in a queue, and can do something else meanwhile.',
  needs: 'It has to be',
  anything: 'Any phone at all will do. Filter the list first to ask for something closer.',
  brand: (brand: string) => `Made by ${brand}`,
  model: (model: string) => `The model ${model}`,
  os: (version: string) => `On OS version ${version}`,
  patience: 'Wait at most',
  patienceChoice: (seconds: number) => minutes(seconds / 60),
  submit: 'Get a phone',
  cancel: 'Cancel',
  label: 'Waiting for a phone',
  asking: 'Asking for a phone…',
  position: (position: number, matching: number) =>
    `Waiting for a phone: number ${position} in the queue, for ${count(matching, 'phone', 'phones')} that will do.`,
  stop: 'Stop waiting',
  dismiss: 'Close',
  ready: 'Your phone is there.',
  open: 'Go to it',
  expired: 'No phone that will do became free in time. Wait longer, or ask for less.',
  noneMatches: 'There is no such phone here. Ask for less, or choose one from the list.',
  tooMany: 'Too many requests wait already. Try again in a moment.',
};
