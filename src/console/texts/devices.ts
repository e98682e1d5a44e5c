import { count, minutes } from './count.ts';

/** Texts of the page of phones. */
export const deviceTexts = {
  title: 'Phones',
  count: (total: number, available: number | null) =>
    available === null
      ? count(total, 'phone', 'phones')
      : `${count(total, 'phone', 'phones')}, ${available.toLocaleString('en')} available`,
  keys: 'Use the arrow keys to move from phone to phone, and Home and End for the first and the last.',
  search: 'Search by name',
  brand: 'Brand',
  anyBrand: 'All brands',
  os: 'Platform',
  anyOs: 'All platforms',
  status: 'Status',
  anyStatus: 'Any status',
  available: 'Available',
  busy: 'Busy',
  yours: 'In use by you',
  usedBy: (name: string) => `In use by ${name}`,
  until: (state: string, time: string) => `${state} until ${time}`,
  simulated: 'Simulated',
  onHost: (name: string) => `Host ${name}`,
  favourites: 'Favourites',
  favourite: (name: string) => `Favourite: ${name}`,
  star: 'Favourite',
  searchTruncated: (searched: number) =>
    `Only the first ${searched.toLocaleString('en')} phones were searched. Filter by brand or version.`,
  viewLabel: 'Show as',
  views: { grid: 'Show as cards', table: 'Show as a table' },
  name: 'Phone',
  model: 'Model',
  screen: 'Screen',
  action: 'Action',
  screenValue: (inches: string, resolution: string) => `${inches}″ · ${resolution.replace('x', ' × ')}`,
  battery: (percent: number) => `Battery ${percent} %`,
  connect: 'Connect',
  connectAsBefore: (length: string, app: string | null) =>
    app === null ? `${length}, without an app` : `${length}, with ${app}`,
  choose: 'Choose duration and app',
  chooseFor: (name: string) => `Choose duration and app for ${name}`,
  open: 'Open',
  watch: 'Watch',
  wait: 'Wait',
  waitForOneLike: (name: string) => `Wait for a phone like ${name}`,
  noneTitle: 'No phones yet',
  none:
    'Connect one with USB debugging turned on, or start with simulated phones. It appears here ' +
    'automatically.',
  noMatchTitle: 'No phone matches',
  noMatch: 'Try other filters, or clear them to see all phones.',
  noFavouritesTitle: 'No matching favourites',
  noFavourites:
    'Star the phones that you use most to show them first. Favourites are stored in this browser.',
};

/** Texts about requesting any phone that matches, and about waiting for it. */
export const waitingTexts = {
  ask: 'Any phone',
  title: 'Any matching phone',
  titleLike: (name: string) => `Any phone like ${name}`,
  explain:
    'You get the first available phone. If none is available, you wait in a queue and can keep using the ' +
    'console.',
  needs: 'Requirements',
  anything: 'Any phone matches. Filter the list first to be more specific.',
  brand: (brand: string) => `Brand ${brand}`,
  model: (model: string) => `Model ${model}`,
  maxWait: 'Maximum wait',
  maxWaitChoice: (seconds: number) => minutes(seconds / 60),
  submit: 'Get a phone',
  label: 'Waiting for a phone',
  asking: 'Requesting a phone…',
  position: (position: number, matching: number) =>
    `Waiting for a phone: position ${position} in the queue, ${count(matching, 'matching phone', 'matching phones')}.`,
  stop: 'Stop waiting',
  dismiss: 'Close',
  ready: 'Your phone is ready.',
  open: 'Open session',
  expired: 'No matching phone became available in time. Wait longer, or remove some requirements.',
  noneMatches: 'No phone matches. Remove some requirements, or choose a phone from the list.',
  tooMany: 'Too many requests are already waiting. Try again in a moment.',
};
